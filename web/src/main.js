// The page of netdp report: the sections, in the order of a reader's questions.
import {answer, assumptions} from './answer.js';
import {auditPage} from './audit.js';
import {check} from './check.js';
import {compared, recommended} from './compared.js';
import {distance} from './distance.js';
import {h, plural} from './dom.js';
import {page, simulated, summary, variants} from './folder.js';
import {look} from './look.js';
import {pairsTable} from './pairs.js';
import {accounts, utility} from './utility.js';
import * as words from './words.js';

const section = (id, title, ...children) => h('section', {id, 'aria-labelledby': `${id}-title`}, h('h2', {id: `${id}-title`}, title), ...children);

function figure() {
  const {svg, about} = page.figure;
  const says = about?.says ?? about?.title ?? '';
  return section('figure', about?.paper ? `Figure: ${about.paper}` : 'Figure', says ? h('p', {}, says) : null,
    h('img', {class: 'figure', src: `data:image/svg+xml;base64,${svg}`, alt: says || 'The figure of netdp reproduce; its numbers are in figure.csv'}));
}

const acceptable = () => h('p', {}, 'What epsilon is acceptable: see ', h('code', {}, 'docs/acceptable-epsilon.md'), ' in the manual of netdp. A signature can name this result by the SHA-256 of summary.json.');

function repeat() {
  const facts = [
    ['netdp', summary.netdp === page.netdp ? page.netdp : `${summary.netdp} (this page: ${page.netdp})`],
    ...(page.seed ? [['Seed', page.seed]] : []),
    ...(page.summary_sha256 ? [['SHA-256 of summary.json', h('code', {}, page.summary_sha256)]] : []),
    ...(summary.inputs_sha256 ? [['Digest of graph and data', h('code', {}, summary.inputs_sha256)]] : []),
    ...(summary.data?.sha256 ? [['SHA-256 of the data file', h('code', {}, summary.data.sha256)]] : []),
  ];
  if (simulated && !page.private) {
    return [acceptable(), h('p', {}, 'This page has neither the study file, nor its seed, nor a digest of its data: whoever has the seed can remove the noise. The experimenter has them, and can see them on a page of netdp report --private.'),
      h('table', {class: 'facts-table'}, h('tbody', {}, facts.map(([term, text]) => h('tr', {}, h('th', {scope: 'row'}, term), h('td', {}, text)))))];
  }
  return [
    acceptable(),
    h('p', {}, 'Save the study below as a file and run it: equal seeds give equal bytes, on any number of threads.'),
    h('pre', {tabindex: '0', 'aria-label': 'Commands'}, `netdp ${page.figure ? 'reproduce' : 'run'} study.yaml -o again\nnetdp report again`),
    h('table', {class: 'facts-table'}, h('tbody', {}, facts.map(([term, text]) => h('tr', {}, h('th', {scope: 'row'}, term), h('td', {}, text))))),
    h('h3', {}, 'study.yaml'),
    page.study ? h('pre', {tabindex: '0', 'aria-label': 'study.yaml'}, page.study) : h('p', {}, 'The folder has no study.yaml.'),
  ];
}

function question() {
  const {known} = variants[0] ?? {known: summary.graph};
  const several = new Set(variants.map((one) => one.known.origin)).size > 1;
  const what = 'A node is one participant with data of its own, such as a household or a hospital.';
  return several ? `The nodes of ${new Set(variants.map((one) => one.known.origin)).size} graphs ${words.task()}. ${what}`
    : `${plural(known.nodes, 'node')} ${words.task()}. ${what} Who talks to whom is the graph “${known.origin}”.`;
}

const answerBody = h('div'), assumptionsBody = h('div'), distanceBody = h('div'), pairsBody = h('div'), glossaryBody = h('dl', {class: 'assumptions'});
const looking = look(), checking = check();
const way = h('p', {class: 'facts'});
const distanceSection = section('distance', '', distanceBody), distanceTitle = distanceSection.querySelector('h2');
const chooser = h('select', {id: 'variant', onchange: () => update(variants[chooser.selectedIndex])},
  variants.map((variant) => h('option', {}, variant.name)));

function update(variant) {
  way.textContent = `How: ${words.way(variant.protocol)}; ${plural(variant.told.rounds, words.counted(variant.protocol))}.`;
  distanceTitle.textContent = words.against(variant.unit);
  answerBody.replaceChildren(...answer(variant).flat(Infinity).filter(Boolean));
  assumptionsBody.replaceChildren(...assumptions(variant));
  looking.update(variant);
  checking.update(variant);
  const drawn = distance(variant);
  distanceBody.replaceChildren(...(drawn.nodes ?? drawn));
  drawn.start?.();
  pairsBody.replaceChildren(...[pairsTable(variant)].flat());
  glossaryBody.replaceChildren(...words.glossary(variant.threat.adjacency).flatMap(([term, meaning]) => [h('dt', {}, term), h('dd', {}, meaning)]));
}

function build() {
  document.title = `${summary.title || page.folder} – netdp report`;
  const chart = compared();
  const links = [...(chart ? [['compared', 'Compared']] : []), ['answer', 'Answer'], ['assumptions', 'Assumptions'], ['look', 'Graph'], ['distance', 'Distance'], ['pairs', 'Pairs'], ['utility', accounts() || !page.private ? 'Variants' : 'Utility'],
    ...(page.figure ? [['figure', 'Figure']] : []), ['check', 'Check'], ['glossary', 'Words'], ['repeat', 'Repeat']];
  const used = utility();
  document.getElementById('page').replaceChildren(
    h('header', {}, h('p', {class: 'eyebrow'}, 'netdp report'), h('h1', {}, summary.title || page.folder),
      h('p', {class: 'facts'}, question()), way,
      h('nav', {'aria-label': 'Sections'}, h('ul', {}, links.map(([id, text]) => h('li', {}, h('a', {href: `#${id}`}, text)))))),
    h('main', {},
      chart ? section('compared', 'What was compared', chart) : null,
      section('answer', 'Who could learn what about whom?',
        variants.length > 1 ? h('div', {class: 'controls'}, h('label', {for: 'variant'}, 'Variant', chooser)) : null, answerBody),
      section('assumptions', 'Under which assumptions?', assumptionsBody),
      section('look', 'One observer at a time', h('p', {class: 'said-how'}, 'Choose a node: the others take the colour of what it could learn about them. Click one, or use the list and the arrow keys.'), looking.element),
      distanceSection,
      section('pairs', 'Every pair', pairsBody),
      section('utility', accounts() || !page.private ? 'Variants side by side' : 'What it cost in accuracy', used.nodes),
      page.figure ? figure() : null,
      section('check', 'Check a number here', checking.nodes),
      section('glossary', 'Words', glossaryBody),
      section('repeat', 'How to repeat it', repeat())));
  const first = recommended();
  if (first) {
    chooser.selectedIndex = variants.indexOf(first.variant);
    update(first.variant);
  }
  used.start();
}

if (page.audit) document.getElementById('page').replaceChildren(...auditPage());
else build();
// For tests: what the graph shows of a node.
globalThis.netdpReport = {node: looking.node};
