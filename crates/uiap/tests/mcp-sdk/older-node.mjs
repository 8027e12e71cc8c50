// The conformance suite of the protocol imports one function that Node.js has since version 22 only, for a chore that is not
// part of testing a server. With this it also runs on the version that a stable Linux brings.
import fs from 'node:fs';
import { register } from 'node:module';

if (!fs.globSync) {
  const shim = 'export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => [];';
  const hook = `export const resolve = (name, context, next) =>
    name === 'fs' && context.parentURL?.includes('/conformance/')
      ? { url: ${JSON.stringify('data:text/javascript,' + encodeURIComponent(shim))}, shortCircuit: true }
      : next(name, context);`;
  register('data:text/javascript,' + encodeURIComponent(hook));
}
