// What was compared: the error and the worst pair of each variant in one small chart, and which of them the page shows first.
import {h, number, show, showUp} from './dom.js';
import {isBaseline, page, readUnit, simulated, summary, variants} from './folder.js';
import * as words from './words.js';

const learns = ['logistic', 'ridge', 'softmax'].includes(summary.task);
const CLOSE = 1 + 1e-9;

/** What a variant costs: an error, smaller is better; NaN where this page may not say or does not know. */
function errorOf(one) {
  if (simulated && page.private) {
    if (learns) return summary.task === 'ridge' ? number(one.error?.accuracy?.mean ?? NaN) : 1 - number(one.error?.accuracy?.mean ?? NaN);
    const columns = one.error?.columns ?? [];
    return columns.length === 1 ? number(columns[0].rmse) : Math.sqrt(2 * number(one.error?.objective?.mean ?? NaN));
  }
  const objective = simulated ? one.expected : one.predicted;
  return typeof objective === 'number' && !learns ? Math.sqrt(2 * objective) : NaN;
}

/** What the error is, for the head of its column. */
function errorName() {
  if (!(simulated && page.private)) return 'Expected error of the result (root mean square), as a part of the range that the values may have';
  if (learns) return summary.task === 'ridge' ? 'Squared error on test rows' : 'Part of the test rows told wrong';
  const [one] = summary.variants.map((variant) => variant.error?.columns ?? []).filter((columns) => columns.length === 1);
  return one ? `Error of the result${summary.data?.unit ? `, ${summary.data.unit}` : ''} (root mean square)` : 'Error of the result (root mean square), as a part of the range that the values may have';
}

const targetOf = (one) => number(('target' in one ? one.target : summary.target)?.epsilon ?? NaN);

/** Does every pair stay within the target? Where there is none, nothing is broken. */
function keeps(one) {
  const most = targetOf(one);
  return one.guarantee.sound && !words.estimate(one.guarantee) && (Number.isNaN(most) || words.worstOf(one.guarantee) <= most * CLOSE);
}

/** The first of the least; what has no number comes last. */
function least(list, of) {
  const value = (one) => (Number.isNaN(of(one)) ? Infinity : of(one));
  return list.reduce((best, one) => (value(one) < value(best) ? one : best), list[0]);
}

/** The variant that the page shows first, as {variant, why}; null where there is none. */
export function recommended() {
  if (variants.length === 0) return null;
  const told = variants.map((variant) => variant.told);
  const find = (one) => variants[told.indexOf(one)];
  const kept = told.filter(keeps);
  if (kept.length > 0) {
    const known = kept.some((one) => !Number.isNaN(errorOf(one)));
    const aim = Number.isNaN(targetOf(kept[0])) ? 'is guaranteed for every pair' : 'keeps the target for every pair';
    const best = known ? least(kept, errorOf) : kept[0];
    return {variant: find(best), why: `It ${aim}${kept.length > 1 ? known ? ', with the least error of those that do' : '; it is the first that does' : ''}.`};
  }
  const sound = told.filter((one) => one.guarantee.sound && !words.estimate(one.guarantee));
  if (sound.length === 0) return {variant: variants[0], why: 'No variant has a guarantee.'};
  return {variant: find(least(sound, (one) => words.worstOf(one.guarantee))), why: 'No variant keeps the target for every pair; of this one the worst pair learns least.'};
}

/** What a variant is, in one line. */
function is(one) {
  if (one.name === 'central') return 'A trusted aggregator sees all values and adds noise once.';
  if (one.name === 'local') return 'Each node adds so much noise that everybody may read every message.';
  const way = words.way(one.protocol ?? summary.protocol);
  const pairs = one.guarantee.pairs ? ' Pairwise noise: two nodes share a random number; one adds it, the other subtracts it, and it cancels in the sum.' : '';
  return `${way[0].toUpperCase()}${way.slice(1)}.${pairs}`;
}

function bar(part, alarm) {
  return h('span', {class: alarm ? 'bar over' : 'bar', 'aria-hidden': 'true'}, h('span', {style: `width: ${(100 * Math.max(0, Math.min(1, part))).toFixed(1)}%`}));
}

/** A cell with a number and its bar, in parts of the largest. */
function cell(text, value, most, alarm = '') {
  return h('td', {class: 'number'}, text, alarm ? h('span', {class: 'what'}, alarm) : null,
    Number.isNaN(value) ? null : bar(value === Infinity ? 1 : most > 0 ? value / most : 0, alarm !== ''));
}

const largest = (values) => Math.max(0, ...values.filter((value) => Number.isFinite(value)));

/** The section, or null where there is nothing to compare. */
export function compared() {
  if (summary.variants.length < 2) return null;
  const first = recommended();
  const errors = summary.variants.map(errorOf), worst = summary.variants.map((one) => words.worstOf(one.guarantee));
  const units = summary.variants.map((one) => readUnit(one.guarantee));
  const mixed = units.some((unit) => unit.kind !== units[0].kind || unit.parameter !== units[0].parameter);
  const {symbol, name, at} = words.measure(units[0]);
  const told = errors.some((error) => !Number.isNaN(error));
  const mostError = largest(errors), mostWorst = largest(worst);
  const over = (one, value) => (!isBaseline(one.name) && value > targetOf(one) * CLOSE ? 'above the target' : '');
  return [
    h('p', {}, 'Each row is one way to compute the same result. ', told ? 'The error says how far the result is off. ' : '',
      mixed ? 'The last column says how much' : `${symbol} (${name}, ${at}) says how much`, ' one node could learn about another in the worst case. Smaller is better in both; long bars are bad.'),
    h('table', {class: 'data compared'},
      h('caption', {}, first ? ['Shown below: ', h('strong', {}, first.variant.name), `. ${first.why}`] : 'No variant has pairs to show'),
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Way'), told ? h('th', {scope: 'col', class: 'number'}, errorName()) : null,
        h('th', {scope: 'col', class: 'number'}, `${mixed ? 'Loss of privacy' : symbol}, worst pair`))),
      h('tbody', {}, summary.variants.map((one, i) => h('tr', {class: first?.variant.told === one ? 'first' : null},
        h('th', {scope: 'row'}, one.name, h('span', {class: 'what'}, is(one))),
        told ? cell(show(errors[i], 3), errors[i], mostError) : null,
        cell(mixed ? `${words.measure(units[i]).symbol} ${showUp(worst[i])} ${words.measure(units[i]).at}` : showUp(worst[i]), worst[i], mostWorst, over(one, worst[i])))))),
  ];
}
