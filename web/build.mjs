// Inlines everything into one page: node build.mjs [OUTPUT]. Equal sources give equal bytes.
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFileSync(join(here, ...path), 'utf8');
const libraries = ['cytoscape', 'uplot'];

const bundled = await build({
  entryPoints: [join(here, 'src/main.js')], bundle: true, minify: true, format: 'iife',
  target: 'es2020', legalComments: 'none', charset: 'ascii', write: false, logLevel: 'warning',
});
// No "</script" inside strings may end the script.
const script = bundled.outputFiles[0].text.replaceAll('</script', '<\\/script').trim();

const styles = await build({
  stdin: {contents: read('node_modules/uplot/dist/uPlot.min.css') + read('src/style.css'), loader: 'css'},
  minify: true, charset: 'utf8', write: false, target: 'es2020',
});

// Each library's licence, and the notices of what it holds of others.
const source = read('node_modules/cytoscape/dist/cytoscape.esm.mjs');
const clean = (comment) => comment.replace(/^\/\*+!?|\*+\/$/g, '').split('\n')
  .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd()).join('\n').trim();
const within = [...new Set((source.match(/\/\*[\s\S]*?\*\//g) || [])
  .filter((comment) => /copyright|licen[cs]e/i.test(comment)).map(clean))]
  .filter((notice) => !notice.startsWith('Copyright (c) 2016-2026, The Cytoscape'));
const versions = Object.fromEntries(libraries.map((name) =>
  [name, JSON.parse(read('node_modules', name, 'package.json')).version]));
const notices = libraries.map((name) =>
  `${name} ${versions[name]}\n\n${read('node_modules', name, 'LICENSE').trim()}`)
  .concat('Within cytoscape:', ...within).join('\n\n')
  .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const digest = createHash('sha256').update(script).digest('base64');
const parts = {STYLE: styles.outputFiles[0].text.trim(), SCRIPT: script, DIGEST: digest, NOTICES: notices,
  LIBRARIES: libraries.map((name) => `${name} ${versions[name]}`).join(' and ')};
const page = read('src/page.html').replace(/%%(\w+)%%/g, (whole, name) => parts[name] ?? whole);
writeFileSync(process.argv[2] ?? join(here, '../src/report/page.html'), page);
