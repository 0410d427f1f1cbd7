// A table whose columns sort by buttons, a page of rows at a time.
import {count, h} from './dom.js';

const ROWS = 25;

/**
 * columns: [{label, key(row) for sorting, cell(row), numeric}]; rows: any array. note(shown, all) is
 * written below. Returns {element, fill(rows)}.
 */
export function sortable(caption, columns, sortBy, note) {
  let rows = [], order = {column: sortBy, down: true}, first = 0;
  const body = h('tbody');
  const place = h('p', {class: 'place', 'aria-live': 'polite'});
  const buttons = columns.map((column, i) => h('button', {type: 'button', onclick: () => sort(i)}, column.label, h('span', {class: 'arrow', 'aria-hidden': 'true'})));
  const heads = columns.map((column, i) => h('th', {scope: 'col', class: column.numeric ? 'number' : null}, buttons[i]));
  const back = h('button', {type: 'button', onclick: () => turn(-1)}, 'Previous rows');
  const on = h('button', {type: 'button', onclick: () => turn(1)}, 'Next rows');

  function write() {
    body.replaceChildren(...rows.slice(first, first + ROWS).map((row) =>
      h('tr', {}, columns.map((column) => h('td', {class: column.numeric ? 'number' : null, 'data-label': column.label}, column.cell(row))))));
    back.disabled = first === 0;
    on.disabled = first + ROWS >= rows.length;
    place.textContent = rows.length === 0 ? 'No pair fits.'
      : `Rows ${count(first + 1)} to ${count(Math.min(first + ROWS, rows.length))} of ${count(rows.length)}${note ? `. ${note()}` : ''}`;
    heads.forEach((head, i) => {
      if (i === order.column) head.setAttribute('aria-sort', order.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
  }

  function arrange() {
    const {key} = columns[order.column];
    const sign = order.down ? -1 : 1;
    rows.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      return x < y ? -sign : x > y ? sign : 0;
    });
  }

  function sort(column) {
    order = {column, down: order.column === column ? !order.down : columns[column].numeric && !columns[column].ascends};
    first = 0;
    arrange();
    write();
  }

  function turn(pages) {
    first = Math.max(0, first + pages * ROWS);
    write();
  }

  return {
    element: h('div', {class: 'sortable'},
      h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
        h('table', {class: 'data stack sorts'}, h('caption', {}, caption), h('thead', {}, h('tr', {}, heads)), body)),
      h('div', {class: 'pager'}, back, on, place)),
    fill(next) {
      rows = next;
      first = 0;
      arrange();
      write();
    },
  };
}
