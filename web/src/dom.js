// Elements and numbers. Texts from the folder only ever become text nodes.

/** h('p', {class: 'x', onclick: f}, 'text', child): null children are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** "inf" of JSON is infinity. */
export const number = (value) => (value === 'inf' ? Infinity : typeof value === 'number' ? value : NaN);

function plain(value, digits) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return `${mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa}e${Number(exponent)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

/** Of every epsilon and every noise, as the command prints them. */
const DIGITS = 4;

/** To the nearest; what is no guarantee. */
export function show(value, digits = DIGITS) {
  return Number.isNaN(value) ? '–' : value === Infinity ? '∞' : plain(value, digits);
}

/** A bound: never shown smaller than it is, but for the rounding of its last digits. */
export function showUp(value, digits = DIGITS) {
  if (!Number.isFinite(value) || value === 0) return show(value, digits);
  let shown = Number(value.toPrecision(digits));
  if (shown < value * (1 - 1e-9)) shown += 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  const text = plain(shown, digits);
  const whole = text.includes('e') ? 0 : digits - 1 - Math.floor(Math.log10(Math.abs(shown)));
  return whole > 0 ? shown.toFixed(whole) : text;
}

/** One field of a CSV; what a spreadsheet would take for a formula is text. */
function field(value) {
  if (typeof value === 'number') return Number.isNaN(value) ? '' : value === Infinity ? 'inf' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A button that saves rows(), the first of them the header, as a CSV file: made here, so it works offline. */
export function saving(name, rows, what = 'Save as CSV') {
  return h('button', {type: 'button', class: 'save', 'data-file': name, onclick: () => {
    const text = rows().map((row) => row.map(field).join(',')).join('\r\n');
    const link = h('a', {href: URL.createObjectURL(new Blob([text, '\r\n'], {type: 'text/csv'})), download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }}, what);
}

export const count = (value) => value.toLocaleString('en-GB');

export const percentUp = (part) => `${Math.min(100, Math.ceil(part * 1000 - 1e-9) / 10)} %`;

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
