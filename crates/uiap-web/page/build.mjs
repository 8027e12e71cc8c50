// Bundles the in-page script into the one file that the crate embeds. `--check` fails when that file is stale.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, 'dist', 'capture.js');
const check = process.argv.includes('--check');

const result = await build({
  absWorkingDir: here,
  entryPoints: ['src/index.ts'],
  outfile: target,
  bundle: true,
  format: 'iife',
  globalName: 'page',
  target: 'chrome120',
  charset: 'ascii',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  write: !check,
  // An expression that leaves no name behind: the caller holds the object, the page does not see it.
  banner: { js: '(()=>{' },
  footer: { js: 'return page.create})()' },
});

if (check) {
  const fresh = result.outputFiles[0].text;
  if (readFileSync(target, 'utf8') !== fresh) {
    console.error('dist/capture.js is stale: run `npm run build`');
    process.exit(1);
  }
}
