// What privacy cost: errors of the result, and the course of the runs.
import {chart} from './charts.js';
import {theme} from './colour.js';
import {count, h, number, plural, saving, show, showUp} from './dom.js';
import {isBaseline, page, readUnit, simulated, summary} from './folder.js';
import * as words from './words.js';

const learns = () => ['logistic', 'ridge', 'softmax'].includes(summary.task);

export const accounts = () => summary.task === 'account';

/** "0.9491 ± 0.0005" */
function spread(measure) {
  if (!measure) return '–';
  return measure.standard_error > 0 ? `${show(measure.mean)} ± ${show(measure.standard_error, 2)}` : show(measure.mean);
}

/** Half the mean square that the noise alone adds, in the unit of the error that a reader knows. */
const expected = (one) => (typeof one.expected === 'number' ? one.expected : NaN);

function errorColumns() {
  if (simulated && !page.private) {
    return summary.variants.some((one) => !Number.isNaN(expected(one))) ? [{label: 'Expected objective of the noise', cell: (one) => show(expected(one))}] : [];
  }
  if (accounts()) {
    return summary.variants.some((one) => typeof one.predicted === 'number')
      ? [{label: 'Predicted objective', cell: (one) => (typeof one.predicted === 'number' ? show(one.predicted) : '–')}] : [];
  }
  if (learns()) {
    return [{label: summary.task === 'ridge' ? 'Test squared error' : 'Test accuracy', cell: (one) => spread(one.error?.accuracy)},
      {label: 'Training objective', cell: (one) => spread(one.error?.objective)}];
  }
  const names = [...new Set(summary.variants.flatMap((one) => (one.error?.columns ?? []).map((column) => column.name)))];
  const unit = summary.data?.unit ? `, ${summary.data.unit}` : '';
  return names.slice(0, 6).map((name) => ({
    label: `Error of ${name}${unit}`,
    cell: (one) => { const column = one.error?.columns?.find((c) => c.name === name); return column ? show(number(column.rmse)) : '–'; },
  }));
}

function bytes(value) {
  if (!(value >= 0)) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  for (; value >= 1000 && i < units.length - 1; i++) value /= 1000;
  return `${show(value, 3)} ${units[i]}`;
}

/** Rounds of gossip, steps of a token, or both beside each other. */
function rounds() {
  const told = new Set(summary.variants.filter((one) => !isBaseline(one.name)).map((one) => `${words.counted(one.protocol ?? summary.protocol)}s`));
  return told.size === 1 ? (told.has('steps') ? 'Steps' : 'Rounds') : 'Rounds, or steps of a token';
}

function table() {
  const units = summary.variants.map((one) => readUnit(one.guarantee));
  const {symbol} = words.measure(units[0] ?? {kind: 'dp'});
  const mixed = units.some((unit) => unit.kind !== units[0].kind || unit.parameter !== units[0].parameter);
  const columns = [
    ...errorColumns(),
    {label: `${symbol}, worst pair`, cell: (one) => showUp(words.worstOf(one.guarantee))},
    {label: `${symbol}, mean`, cell: (one) => showUp(number(one.guarantee.mean))},
    ...(mixed ? [{label: 'Unit', cell: (one) => words.measure(readUnit(one.guarantee)).at}] : []),
    {label: 'Noise', cell: (one) => showUp(number(one.noise))},
    {label: rounds(), cell: (one) => count(one.rounds)},
    ...(accounts() ? [] : [{label: 'Sent by all nodes together', cell: (one) => bytes(one.bytes_sent)}]),
  ];
  const runs = !page.private || !summary.repeat ? '' : learns() ? `Means over ${plural(summary.repeat, 'run')} ± standard error; ` : `Root mean squared error over ${plural(summary.repeat, 'run')}; `;
  const caption = `${runs}${noises()}${mixed ? `; each ${symbol} ${units.every((unit) => unit.kind === 'dp') ? 'at its own δ' : 'in its own unit'}` : ''}`;
  const rows = () => [['variant', ...columns.map((column) => column.label)], ...summary.variants.map((one) => [one.name, ...columns.map((column) => column.cell(one))])];
  return [h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Utility'}, h('table', {class: 'data stack'},
    h('caption', {}, caption[0].toUpperCase() + caption.slice(1)),
    h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Variant'), columns.map((column) => h('th', {scope: 'col', class: 'number'}, column.label)))),
    h('tbody', {}, summary.variants.map((one) => h('tr', {}, h('th', {scope: 'row'}, one.name), columns.map((column) => h('td', {class: 'number', 'data-label': column.label}, column.cell(one)))))))), h('div', {class: 'pager'}, saving('variants.csv', rows)), outdone()];
}

/** What the column of noise holds, which is not the same for every variant. */
function noises() {
  const told = new Map();
  for (const one of summary.variants) {
    const what = words.noiseOf(one.name, one.protocol ?? summary.protocol, one.mechanism);
    told.set(what, [...(told.get(what) ?? []), one.name]);
  }
  return told.size < 2 ? `noise: ${[...told.keys()].join('')}` : [...told].map(([what, names]) => `noise of ${names.join(', ')}: ${what}`).join('; ');
}

/** Where a variant is closer to the truth than "central", it is said why that can be. */
function outdone() {
  const error = (one) => (page.private ? number(one.error?.objective?.mean ?? NaN) : expected(one));
  const central = summary.variants.find((one) => one.name === 'central');
  if (!central || learns()) return null;
  const better = summary.variants.filter((one) => error(one) < error(central) && one.name !== 'local').map((one) => one.name);
  if (better.length === 0) return null;
  return h('p', {class: 'note', id: 'outdone'}, `${better.join(', ')}: less error than “central”, which is not the best that a trusted aggregator could do. It adds ${central.mechanism === 'laplace' ? 'Laplace' : 'Gaussian'} noise once, at the study’s (ε, δ) towards everyone; Laplace noise needs less where δ is small and one number is released, and a target for the mean over pairs lets some pairs have more than ε.`);
}

function released() {
  const totals = summary.variants.flatMap((one) => (one.released ?? []).map((total) => ({...total, of: one.name})));
  if (totals.length === 0) return null;
  return [h('h3', {}, 'Totals of the first run'), h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Totals'}, h('table', {class: 'data'},
    h('caption', {}, 'The interval speaks about the noise, not about privacy'),
    h('thead', {}, h('tr', {}, ['Variant', 'Of', 'Total', 'Interval', 'holds the truth with'].map((text, i) => h('th', {scope: 'col', class: i > 1 ? 'number' : null}, text)))),
    h('tbody', {}, totals.map((one) => h('tr', {}, h('th', {scope: 'row'}, one.of), h('td', {}, one.name), h('td', {class: 'number'}, show(number(one.value), 6)),
      h('td', {class: 'number'}, `${show(number(one.low), 6)} … ${show(number(one.high), 6)}`), h('td', {class: 'number'}, `${show(100 * one.level)} %`))))))];
}

function contributions() {
  return summary.variants.filter((one) => one.contributions && !['central', 'local'].includes(one.name)).map((one) => h('p', {class: 'small muted'},
    `${one.name}: a node contributed at most ${count(one.contributions.realised_max)} times (${one.contributions.cap === null || typeof one.contributions.cap !== 'number' ? 'no cap' : `cap ${count(one.contributions.cap)}`}), ${show(one.contributions.mean)} on average.`));
}

const measures = {accuracy: 'test accuracy', objective: 'objective', consensus_error: 'consensus error'};

/** The aggregator's steps are of all data at once, and few: it is drawn as the level that it ends at, along the others' steps. */
function levelled(curves) {
  const steps = curves.filter((curve) => curve.variant !== 'central').flatMap((curve) => curve.step);
  if (steps.length === 0) return curves;
  const ends = [Math.min(...steps), Math.max(...steps)];
  const level = (measure) => ({...measure, mean: [measure.mean.at(-1), measure.mean.at(-1)]});
  return curves.map((curve) => (curve.variant !== 'central' ? curve : {
    ...curve, step: ends, ...Object.fromEntries(Object.keys(measures).filter((name) => curve[name]).map((name) => [name, level(curve[name])]))}));
}

function course() {
  const curves = page.trace ?? [];
  const offered = Object.keys(measures).filter((name) => curves.some((curve) => curve[name]));
  if (offered.length === 0 || curves.every((curve) => curve.step.length < 2)) return null;
  const select = h('select', {id: 'measure'}, offered.map((name) => h('option', {value: name}, name === 'accuracy' && summary.task === 'ridge' ? 'test squared error' : measures[name])));
  const holder = h('div', {class: 'chart', role: 'img', 'aria-label': 'The measure against the steps of the runs; the table above has the end'});
  const make = () => {
    const shown = levelled(curves.filter((curve) => curve[select.value])).filter((curve) => curve.step.length > 1).slice(0, 12);
    const steps = [...new Set(shown.flatMap((curve) => curve.step))].sort((a, b) => a - b);
    const colours = theme().curves;
    const values = shown.flatMap((curve) => curve[select.value].mean).filter((value) => typeof value === 'number' && value > 0);
    const log = select.value !== 'accuracy' && values.length > 0 && Math.max(...values) > 20 * Math.min(...values);
    return {
      data: [steps, ...shown.map((curve) => {
        const at = new Map(curve.step.map((step, i) => [step, curve[select.value].mean[i]]));
        return steps.map((step) => { const value = at.get(step); return typeof value !== 'number' || (log && value <= 0) ? null : value; });
      })],
      series: shown.map((curve, i) => ({label: curve.variant, colour: colours[i % colours.length], points: curve.step.length < 40, dash: i >= colours.length ? [6, 4] : undefined})),
      x: rounds().toLowerCase(), y: `${select.selectedOptions[0].textContent}${log ? ' (logarithmic)' : ''}`, log,
    };
  };
  return {
    nodes: [h('h3', {}, 'Course of the runs'), h('div', {class: 'controls'}, h('label', {for: 'measure'}, 'Measure', select)), holder],
    start: () => { const draw = chart(holder, make); select.addEventListener('change', draw); },
  };
}

export function utility() {
  const drawn = course();
  return {nodes: [table(), contributions(), released(), drawn?.nodes], start: () => drawn?.start()};
}
