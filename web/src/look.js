// Choosing an observer: the graph is coloured, and the most exposed nodes are listed.
import {onTheme, ramp} from './colour.js';
import {h, plural, showUp} from './dom.js';
import {nodeName} from './folder.js';
import {drawGraph} from './graph.js';
import * as words from './words.js';

const LISTED = 8;

/** From which value to which the colours go; by logarithms where most values would look alike. */
function scaleOf(pairs) {
  const positive = pairs.value.filter((one) => one > 0 && Number.isFinite(one)).sort();
  if (positive.length === 0) return {low: 0, high: 0, log: false};
  const high = positive[positive.length - 1], middle = positive[positive.length >> 1];
  return high > 20 * middle ? {low: positive[0], high, log: true} : {low: 0, high, log: false};
}

function partOf(scale, value) {
  if (Number.isNaN(value)) return NaN;
  if (value === Infinity) return 1;
  if (value === 0 || scale.high === scale.low) return value === 0 ? 0 : 1;
  return scale.log ? Math.log(value / scale.low) / Math.log(scale.high / scale.low) : value / scale.high;
}

/** The section, which follows the variant by update(variant). */
export function look() {
  let variant = null, observer = null, about = false;
  const select = h('select', {id: 'observer', onchange: () => choose(Number(select.value))});
  const word = h('span', {}, 'Observer');
  const mode = h('select', {id: 'direction', onchange: () => { about = mode.value === 'about'; paint(); }},
    h('option', {value: 'by'}, 'what this node could learn about the others'),
    h('option', {value: 'about'}, 'what the others could learn about this node'));
  const direction = h('label', {for: 'direction'}, 'Show', mode);
  const step = (by) => h('button', {type: 'button', onclick: () => move(by)}, by < 0 ? 'Previous' : 'Next');
  const canvas = h('div', {class: 'graph', id: 'graph', tabindex: '0', role: 'application', 'aria-roledescription': 'graph',
    'aria-label': 'The graph. Arrow keys choose the previous or next observer, plus and minus zoom, zero shows all.', onkeydown: key});
  const said = h('p', {class: 'said', 'aria-live': 'polite', id: 'said'});
  const pointed = h('p', {class: 'muted small said-how', id: 'pointed'});
  const listed = h('div');
  const bar = h('span', {class: 'ramp'}), least = h('span'), most = h('span'), unitName = h('span', {class: 'muted small'});
  const missing = h('p', {class: 'note'});
  const zoom = h('div', {class: 'controls'},
    h('button', {type: 'button', 'aria-label': 'Zoom in', onclick: () => graph.zoom(1.3)}, '+'),
    h('button', {type: 'button', 'aria-label': 'Zoom out', onclick: () => graph.zoom(1 / 1.3)}, '−'),
    h('button', {type: 'button', onclick: () => graph.fit()}, 'Show all'));
  const drawing = h('div', {}, canvas, zoom);
  const frame = h('div', {class: 'look'}, drawing, h('div', {}, said, pointed,
    h('div', {class: 'legend', role: 'img', 'aria-label': 'Colours from the least to the most that is learnt'}, least, bar, most), unitName, listed));
  const graph = drawGraph(canvas, (node) => choose(node), point);
  const element = h('div', {}, h('div', {class: 'controls'}, h('label', {for: 'observer'}, word, select), h('div', {class: 'pair'}, step(-1), step(1)), direction), missing, frame);

  /** What the table says of the chosen node and another one. */
  function value(node) {
    const {pairs} = variant;
    const k = pairs.row.get(about ? node : observer);
    return k === undefined ? NaN : pairs.value[pairs.at(k, about ? observer : node)];
  }

  function key(event) {
    const moves = {ArrowLeft: () => move(-1), ArrowUp: () => move(-1), ArrowRight: () => move(1), ArrowDown: () => move(1),
      '+': () => graph.zoom(1.3), '-': () => graph.zoom(1 / 1.3), 0: () => graph.fit()};
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[event.key]();
  }

  function move(by) {
    const {observers} = variant.pairs;
    choose(observers[(observers.indexOf(observer) + by + observers.length) % observers.length]);
  }

  function choose(node) {
    if (!variant.pairs.row.has(node)) {
      said.textContent = `${nodeName(variant, node)} is not among the ${plural(variant.pairs.observers.length, 'observer')} on this page; ${variant.pairs.file} has it.`;
      return;
    }
    observer = node;
    select.value = String(node);
    paint();
  }

  function point(node) {
    pointed.textContent = node === null ? '' : node === observer ? `${nodeName(variant, node)}: chosen`
      : `${nodeName(variant, node)}: ${words.measure(variant.unit).symbol} ${showUp(value(node))}`;
  }

  function paint() {
    const {pairs} = variant;
    const values = Array.from({length: pairs.nodes}, (_, node) => value(node));
    graph.colour(values.map((one) => partOf(variant.scale, one)), pairs.coalition ?? [observer]);
    const symbol = words.measure(variant.unit).symbol;
    const rows = values.map((one, node) => [node, one]).filter(([, one]) => !Number.isNaN(one)).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const mean = rows.reduce((sum, [, one]) => sum + one, 0) / rows.length;
    const name = pairs.coalition ? 'The coalition' : nodeName(variant, observer);
    said.textContent = rows.length === 0 ? 'No pair to show.' : about
      ? `Of ${plural(rows.length, 'node')}, ${nodeName(variant, rows[0][0])} could learn most about ${name}: ${symbol} ${showUp(rows[0][1])}; on average ${showUp(mean)}.`
      : `${name} could learn most about ${nodeName(variant, rows[0][0])}: ${symbol} ${showUp(rows[0][1])}; on average ${showUp(mean)}.`;
    listed.replaceChildren(h('table', {class: 'data'}, h('caption', {}, `The ${Math.min(LISTED, rows.length)} largest of ${rows.length}`),
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, about ? 'Observer' : 'About'), h('th', {scope: 'col', class: 'number'}, symbol))),
      h('tbody', {}, rows.slice(0, LISTED).map(([node, one]) => h('tr', {}, h('td', {}, nodeName(variant, node)), h('td', {class: 'number'}, showUp(one)))))));
    legend();
  }

  function legend() {
    bar.style.background = ramp();
    least.textContent = showUp(variant.scale.low);
    most.textContent = showUp(variant.scale.high);
    unitName.textContent = `${words.measure(variant.unit).name} ${words.measure(variant.unit).at}${variant.scale.log ? ', logarithmic colours' : ''}; ★ the chosen node`;
  }
  onTheme(() => variant?.pairs && legend());

  return {
    element,
    /** For tests. */
    node: (id) => ({value: value(id), ...graph.node(id)}),
    choose,
    update(next) {
      variant = next;
      const {pairs, guarantee} = next;
      element.hidden = !pairs;
      if (!pairs) return;
      next.scale ??= scaleOf(pairs);
      graph.show(next);
      drawing.hidden = !next.graph?.edges;
      frame.classList.toggle('alone', drawing.hidden);
      const lacks = next.why ?? next.graph?.why;
      missing.hidden = !lacks && pairs.complete;
      missing.textContent = [lacks ? `The graph is not drawn: ${lacks}.` : '',
        pairs.complete ? '' : `This page holds ${plural(pairs.observers.length, 'observer')} of ${pairs.of}: the one of the worst pair and others at even steps, their values rounded up to seven digits. ${pairs.file} has all.`].join(' ').trim();
      direction.hidden = !pairs.complete || pairs.observers.length < 2;
      if (direction.hidden) { about = false; mode.value = 'by'; }
      select.replaceChildren(...pairs.observers.map((node) => h('option', {value: String(node)}, nodeName(next, node))));
      const worst = guarantee.worst?.to;
      choose(pairs.row.has(observer) ? observer : pairs.row.has(worst) ? worst : pairs.observers[0]);
    },
  };
}
