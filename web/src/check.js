// "Check a number here": a proof file of the reader's disk, checked in this page. Nothing leaves it.
import {h, number, plural, show, showUp} from './dom.js';
import {nodeName, variants} from './folder.js';
import {unitOf} from './unit.js';
import {verify} from './verify.js';
import * as words from './words.js';

const SEES = {messages: 'neighbours', sums: 'sum', everything: 'everything'};
const real = (fraction) => Number(fraction.n) / 2 ** fraction.e;

/** Both directions of each edge, as text. */
const edgesOf = (head) => new Set([...head.all('w').values()].filter(({index: [a, b]}) => a !== b).map(({index}) => index.join(' ')));

/** How the network of a proof differs from the variant's: a text, or null. */
function otherNetwork(variant, head) {
  const {known, graph, told, guarantee} = variant, edges = edgesOf(head), drawn = graph?.edges, rounds = head.one('rounds') * head.one('phases', 1);
  if (head.one('nodes') !== known.nodes) return `it has ${plural(head.one('nodes'), 'node')}, the page ${known.nodes}`;
  if (rounds !== told.rounds) return `it has ${plural(rounds, 'round')}, the page ${told.rounds}`;
  if (head.has('step')) return null;
  if (edges.size !== 2 * known.edges || drawn?.some((a, i) => i % 2 === 0 && !edges.has(`${a} ${drawn[i + 1]}`))) return 'its graph has other edges';
  if (head.one('rule') !== 'file' && head.one('rule') !== variant.mixing) return `its weights are ${head.one('rule')}, the page’s ${variant.mixing}`;
  if (real(head.one('pair-noise', {n: 0n, e: 0})) !== (guarantee.pairs?.noise ?? 0) || head.all('pair').size !== (guarantee.pairs?.count ?? 0)) return 'its pairwise noise is another';
  if (typeof told.dither !== 'number' || head.has('every')) return null;
  const [first, second] = [1, 2].map((t) => head.get('noise', t)); // tau / t^P; what stays has no line
  if (first && real(first.values[0]) !== told.dither) return 'its dither is another';
  const then = told.dither / 2 ** (told.dither_decay ?? 0);
  return second && Math.abs(real(second.values[0]) - then) > 1e-9 * then ? 'its dither decays otherwise' : null;
}

/** How its question differs; what sees or knows more proves as much. */
function otherQuestion(variant, head, q) {
  const {threat} = variant, sees = q.one('sees');
  if (unitOf(threat.adjacency).split('/')[0] !== head.one('unit', 'node')) return 'it protects another unit';
  if (!head.has('step') && sees !== 'everything' && SEES[sees] !== threat.sees) return 'its observers see other messages';
  return q.one('own-noise', 'known') !== 'known' && threat.own_noise !== 'counts' ? 'its observer does not know its own noise' : null;
}

/** The claim in the variant's unit at its noise, or null. */
function claimOf({unit, told}, q) {
  const claim = q.all(`claim#${unit.kind}`).values().next().value?.values.map(Number);
  if (!claim) return null;
  const [value, ...rest] = claim, noise = rest.pop();
  return noise === number(told.noise) && (rest.length === 0 || rest[0] === unit.parameter) ? value : null;
}

/** The page's number of the observers about the source; NaN where the page does not have it. */
function valueOf({pairs, guarantee}, observers, source) {
  const same = (list) => list.length === observers.length && list.every((node) => observers.includes(node));
  const row = pairs?.coalition ? (same(pairs.coalition) ? 0 : undefined) : observers.length === 1 ? pairs?.row.get(observers[0]) : undefined;
  if (row !== undefined) return pairs.value[pairs.at(row, source)];
  const {worst} = guarantee;
  return worst && observers.length === 1 && worst.to === observers[0] && worst.from === source ? number(worst.epsilon) : NaN;
}

/** {proves} where it proves the variant's number, {why} where it does not. */
function compare(variant, head, q) {
  const why = otherNetwork(variant, head) ?? otherQuestion(variant, head, q);
  if (why) return {why};
  if (head.has('step') || head.has('change')) return {why: `the page does not hold ${head.has('step') ? 'the path of the token' : 'how the network changes'}, and cannot compare it`};
  if (variant.known.edges > 0 && !variant.graph?.edges) return {why: 'the page does not hold the edges of the graph, and cannot compare them'};
  const claim = claimOf(variant, q), value = valueOf(variant, q.observers, q.one('source'));
  if (claim === null) return {why: 'its claim is at another noise, or in another unit'};
  if (Number.isNaN(value)) return {why: 'the page has no number of this pair'};
  return claim <= value * (1 + 1e-9) ? {proves: true} : {why: `it proves ${showUp(claim)} of this pair, the page says ${showUp(value)}`};
}

/** What one question of a proof says, and whether the page says it too. */
function told(chosen, head, q) {
  const source = q.one('source'), results = [chosen, ...variants.filter((one) => one !== chosen)].map((variant) => ({variant, ...compare(variant, head, q)}));
  const found = results.find((one) => one.proves), of = found?.variant;
  const name = (node) => (of?.graph?.names?.[node] ? `${node} (${of.graph.names[node]})` : String(node));
  const many = q.observers.length > 1, claim = ['dp', 'gdp', 'rdp'].map((kind) => [kind, q.all(`claim#${kind}`).values().next().value?.values]).find(([, values]) => values);
  const at = !claim ? `loss = ${showUp(Number(q.one('claim#loss')))}` : claim[0] === 'dp' ? `epsilon = ${showUp(Number(claim[1][0]))} at delta = ${show(Number(claim[1][1]))}`
    : claim[0] === 'gdp' ? `mu = ${showUp(Number(claim[1][0]))}` : `Renyi epsilon = ${showUp(Number(claim[1][0]))} of order ${show(Number(claim[1][1]))}`;
  const who = (node) => (of ? nodeName(of, node).replace(/ \(\d+\)$/, '') : String(node));
  return [h('p', {class: 'lead'}, `Proven: observer${many ? 's' : ''} ${q.observers.map(name).join(', ')} ${many ? 'together learn' : 'learns'} about source ${name(source)} at most ${at}.`),
    h('p', {}, found ? `This proves the page’s number of ${many ? 'the coalition' : who(q.observers[0])} about ${who(source)}${of === chosen ? '' : `, in the variant “${of.name}”`}.`
      : `This holds, but is not about this page${variants.length > 1 ? ` (variant “${chosen.name}”)` : ''}: ${results[0]?.why ?? 'the page has no variant'}.`)];
}

/** Which file of the folder proves the worst pair's number. */
function fileOf(variant) {
  const {guarantee, proof, unit, pairs} = variant, {worst, proofs} = guarantee;
  if (!worst) return 'The guarantee is the same for every pair; there is no proof file of a worst pair.';
  const what = `The worst pair’s number (${words.measure(unit).name} ${showUp(words.worstOf(guarantee))}, ${pairs?.coalition ? 'the coalition' : nodeName(variant, worst.to)} about ${nodeName(variant, worst.from)})`;
  return proof ? [`${what} has a proof: `, h('code', {}, proof), ' in the result folder', proofs?.files > 0 ? `; ${plural(proofs.files, 'pair')} of this variant ${proofs.files === 1 ? 'has' : 'have'} one.` : '.']
    : `${what} has no proof file in the result folder.`;
}

/** The section, which follows the variant by update(variant). */
export function check() {
  let chosen = null;
  const named = h('p', {id: 'proof-of'}), result = h('div', {id: 'checked', role: 'status'});
  const chooser = h('input', {type: 'file', id: 'proof', accept: '.proof,text/plain', onchange: async () => {
    const file = chooser.files[0];
    if (!file) return;
    const said = verify(await file.text());
    result.replaceChildren(...(said.holds ? said.answers.flatMap((answer, i) => [...told(chosen, said.head, said.questions[i]), h('p', {}, answer)])
      : [h('p', {}, `Line ${said.line} fails: ${said.why}.`)]));
  }});
  return {
    nodes: [named,
      h('p', {}, 'Choose a proof file (netdp loss --proof writes others). This page checks it in exact fractions, as netdp-verify does; it needs no network.'),
      h('p', {}, h('label', {for: 'proof'}, 'Proof file '), chooser), result],
    update(variant) {
      chosen = variant;
      result.replaceChildren();
      chooser.value = '';
      named.replaceChildren(...[fileOf(variant)].flat());
    },
  };
}

// For tests.
globalThis.netdpVerify = verify;
