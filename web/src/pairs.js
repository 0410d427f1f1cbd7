// Every pair, in a table that sorts and filters.
import {count, h, saving, showUp, show} from './dom.js';
import {nodeName} from './folder.js';
import {sortable} from './table.js';
import * as words from './words.js';

function listAll(pairs) {
  const rows = [];
  for (let from = 0; from < pairs.nodes; from++) {
    pairs.observers.forEach((to, k) => {
      const at = pairs.at(k, from);
      if (Number.isNaN(pairs.value[at])) return;
      rows.push({from, to, distance: pairs.distance[at], value: pairs.value[at], loss: pairs.loss ? pairs.loss[at] : null});
    });
  }
  return rows;
}

/** A row fits a text by the node's number or by a part of its name. */
function fits(variant, node, text) {
  if (text === '') return true;
  if (/^\d+$/.test(text)) return String(node) === text;
  return nodeName(variant, node).toLowerCase().includes(text.toLowerCase());
}

export function pairsTable(variant) {
  const {pairs} = variant;
  if (!pairs) return h('p', {class: 'note'}, 'The folder has no pairwise losses of this variant.');
  const unit = words.measure(variant.unit);
  const worst = (pairs.worst ?? []).map(([from, to, distance, value]) => ({from, to, distance, value: value === 'inf' ? Infinity : value, loss: null}));
  const columns = [
    {label: 'About', key: (row) => row.from, cell: (row) => nodeName(variant, row.from), numeric: true, ascends: true},
    {label: 'Observer', key: (row) => row.to, numeric: true, ascends: true,
      cell: (row) => (pairs.coalition ? 'the coalition' : nodeName(variant, row.to))},
    {label: 'Steps apart', key: (row) => row.distance, cell: (row) => (row.distance < 0 ? '?' : String(row.distance)), numeric: true, ascends: true},
    {label: unit.symbol, key: (row) => row.value, cell: (row) => showUp(row.value), numeric: true},
  ];
  if (pairs.loss) columns.push({label: 'Loss', key: (row) => row.loss, cell: (row) => show(row.loss, 5), numeric: true});
  columns.slice(0, 2).forEach((column) => { column.numeric = false; });
  const caption = `What the observer could learn about the node, ${unit.name} ${unit.at}${pairs.loss ? '; loss: 1 for what a single contribution gives away through its own noise alone' : ''}`;
  const table = sortable(caption, columns, 3, () => (pairs.complete ? `All are in ${pairs.file}` : `All ${count(pairs.of * (pairs.nodes - 1))} are in ${pairs.file}`));
  const from = h('input', {id: 'from', type: 'search', autocomplete: 'off', oninput: fill, placeholder: 'name or number'});
  const to = h('input', {id: 'to', type: 'search', autocomplete: 'off', oninput: fill, placeholder: 'name or number'});
  const which = h('select', {id: 'which', onchange: fill}, h('option', {value: 'worst'}, `the ${worst.length} worst of all pairs`), h('option', {value: 'here'}, 'the observers on this page'));
  let all = null, shown = [];
  function fill() {
    const listed = worst.length > 0 && which.value === 'worst' ? worst : (all ??= listAll(pairs));
    shown = listed.filter((row) => fits(variant, row.from, from.value.trim()) && fits(variant, row.to, to.value.trim()));
    table.fill(shown);
  }
  const observer = (row) => (pairs.coalition ? pairs.coalition.join(' ') : row.to);
  const save = saving('pairs.csv', () => [['about', 'name', 'observer', 'observer name', 'distance', pairs.measure, ...(pairs.loss ? ['loss'] : [])],
    ...shown.map((row) => [row.from, nodeName(variant, row.from), observer(row), pairs.coalition ? 'the coalition' : nodeName(variant, row.to),
      row.distance < 0 ? '' : row.distance, row.value, ...(pairs.loss ? [row.loss] : [])])], 'Save these pairs as CSV');
  fill();
  return [
    h('div', {class: 'controls'}, h('label', {for: 'from'}, 'About', from), h('label', {for: 'to'}, 'Observer', to),
      worst.length > 0 ? h('label', {for: 'which'}, 'Pairs', which) : null),
    table.element, h('div', {class: 'pager'}, save),
  ];
}
