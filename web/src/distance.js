// Loss against distance: largest, mean and smallest of the pairs at each distance.
import {chart} from './charts.js';
import {theme} from './colour.js';
import {count, h, saving, showUp} from './dom.js';
import * as words from './words.js';

function table(variant) {
  const {symbol} = words.measure(variant.unit);
  const hasMin = variant.classes.some((one) => !Number.isNaN(one.min));
  const cells = (one) => [count(one.pairs), ...(hasMin ? [showUp(one.min)] : []), showUp(one.mean), showUp(one.max)];
  return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Values by distance'}, h('table', {class: 'data'},
    h('caption', {}, `${symbol} by steps between the two nodes, over all pairs`),
    h('thead', {}, h('tr', {}, ['Steps apart', 'Pairs', ...(hasMin ? ['Smallest'] : []), 'Mean', 'Largest'].map((text, i) => h('th', {scope: 'col', class: i > 0 ? 'number' : null}, text)))),
    h('tbody', {}, variant.classes.map((one) => h('tr', {}, h('th', {scope: 'row'}, String(one.distance)), cells(one).map((text) => h('td', {class: 'number'}, text)))))));
}

export function distance(variant) {
  const {classes} = variant;
  if (classes.length === 0) return [h('p', {}, 'The guarantee is the same at every distance.')];
  const {symbol} = words.measure(variant.unit);
  const holder = h('div', {class: 'chart', role: 'img', 'aria-label': `${symbol} against distance; the table below has the same numbers`});
  const finite = (value) => (Number.isFinite(value) ? value : null);
  const positive = classes.flatMap((one) => [one.min, one.max]).filter((value) => Number.isFinite(value) && value > 0);
  const log = positive.length > 0 && Math.max(...positive) > 300 * Math.min(...positive);
  const usable = (value) => (log && value <= 0 ? null : finite(value));
  const make = () => {
    const {curves, dark} = theme();
    const last = classes[classes.length - 1].distance;
    const small = classes.some((one) => !Number.isNaN(one.min));
    return {
      data: [classes.map((one) => one.distance), classes.map((one) => usable(one.max)), classes.map((one) => usable(one.mean)),
        ...(small ? [classes.map((one) => usable(one.min))] : [])],
      series: [{label: 'Largest', colour: curves[1]}, {label: 'Mean', colour: curves[0]}, ...(small ? [{label: 'Smallest', colour: curves[2], dash: [6, 4]}] : [])],
      bands: small ? [{series: [1, 3], fill: dark ? 'rgba(108,198,222,.13)' : 'rgba(11,110,138,.10)'}] : undefined,
      x: 'steps between the two nodes', y: `${symbol}${log ? ' (logarithmic)' : ''}`, log,
      range: () => [Math.min(0.5, classes[0].distance - 0.5), last + 0.5],
    };
  };
  const rows = () => [['distance', 'pairs', 'min', 'mean', 'max'], ...classes.map((one) => [one.distance, one.pairs, one.min, one.mean, one.max])];
  return {nodes: [holder, table(variant), h('div', {class: 'pager'}, saving('by-distance.csv', rows))], start: () => chart(holder, make)};
}
