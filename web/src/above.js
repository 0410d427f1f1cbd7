// Who is above the target, by how much, and towards whom.
import {count, h, number, plural, saving, showUp} from './dom.js';
import {nodeName} from './folder.js';
import * as words from './words.js';

const LISTED = 10;

/** The worst observer of every node whose data some observer could learn more of than `target`. */
function people(variant, target) {
  const {pairs} = variant;
  const worst = new Map();
  let above = 0, all = 0;
  const take = (from, to, value) => {
    all++;
    if (!(value > target * (1 + 1e-9))) return;
    above++;
    const known = worst.get(from);
    if (!known || value > known.value) worst.set(from, {from, to, value, pairs: (known?.pairs ?? 0) + 1});
    else known.pairs++;
  };
  pairs.observers.forEach((to, k) => {
    for (let from = 0; from < pairs.nodes; from++) {
      const value = pairs.value[pairs.at(k, from)];
      if (!Number.isNaN(value)) take(from, to, value);
    }
  });
  const seen = new Set(pairs.observers);
  for (const [from, to, , value] of pairs.worst ?? []) if (!seen.has(to)) take(from, to, number(value));
  return {list: [...worst.values()].sort((a, b) => b.value - a.value || a.from - b.from), above, all};
}

export function above(variant) {
  const {target, pairs} = variant;
  const most = number(target?.epsilon ?? NaN);
  if (!Number.isFinite(most)) return null;
  const {symbol} = words.measure(variant.unit);
  const aim = `the target (${symbol} = ${showUp(most)} ${target.over === 'mean' ? 'on average over pairs' : 'for the worst pair'})`;
  const worst = words.worstOf(variant.guarantee);
  if (!(worst > most * (1 + 1e-9))) return h('p', {class: 'note', id: 'above'}, `Towards ${words.whose(variant)}, nobody is above ${aim}.`);
  if (!pairs) return h('p', {class: 'note', id: 'above'}, `Some pairs are above ${aim} by up to ${showUp(worst - most)}; this page has no list of the pairs.`);
  const {list, above: some, all} = people(variant, most);
  const least = pairs.complete && !words.estimate(variant.guarantee) ? '' : 'At least ';
  const who = (one) => (pairs.coalition ? 'the coalition' : nodeName(variant, one.to));
  const known = pairs.complete ? `of ${count(all)}` : `of the ${count(all)} that this page holds`;
  const heads = ['About', symbol, 'Above by', 'Observer', 'Observers above'];
  const rows = () => [['about', 'name', symbol, 'above the target by', 'observer', 'observer name', 'observers above'],
    ...list.map((one) => [one.from, nodeName(variant, one.from), one.value, one.value - most, pairs.coalition ? pairs.coalition.join(' ') : one.to, who(one), one.pairs])];
  return h('div', {class: 'note', id: 'above'},
    h('p', {}, h('strong', {}, `${least}${count(list.length)} of ${count(pairs.nodes)} people ${list.length === 1 ? 'is' : 'are'} above ${aim}`),
      `: ${plural(some, 'pair')} ${known}, by up to ${showUp(worst - most)} (${showUp(worst / most)} times the target). `,
      target.over === 'mean' ? 'A target for the mean allows that. If it is too much, whoever runs the study can set a target for every pair: “over: worst” under “privacy” in the study file.' : 'The bound does not meet the target.'),
    h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Who is above the target'}, h('table', {class: 'data stack'},
      h('caption', {}, list.length > LISTED ? `The ${LISTED} furthest above it` : 'Who is above it'),
      h('thead', {}, h('tr', {}, heads.map((text, i) => h('th', {scope: 'col', class: [1, 2, 4].includes(i) ? 'number' : null}, text)))),
      h('tbody', {}, list.slice(0, LISTED).map((one) => h('tr', {}, [nodeName(variant, one.from), showUp(one.value), showUp(one.value - most), who(one), count(one.pairs)]
        .map((text, i) => h('td', {class: [1, 2, 4].includes(i) ? 'number' : null, 'data-label': heads[i]}, text))))))),
    h('p', {class: 'pager'}, saving('above-target.csv', rows)));
}
