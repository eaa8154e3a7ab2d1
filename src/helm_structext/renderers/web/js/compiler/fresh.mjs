// Libraries that keep something of what they have compiled: each answer gets them in a realm of its own,
// with empty caches, unchanged prototypes, and chance that begins anew.
//
// Their code is read and compiled once. To run it again takes a few milliseconds, which are spent after an
// answer and not before the next.

import {readFileSync} from 'node:fs'
import Module, {createRequire, isBuiltin} from 'node:module'
import path from 'node:path'
import vm from 'node:vm'

// Sass makes functions of text, of its own alone. Elsewhere it would be the answer's.
const MAKES_CODE = new Set(['sass'])
const GLOBALS = {Buffer, TextDecoder, TextEncoder, URL, clearTimeout, console, setTimeout}
const REALM = new vm.Script(`{
  globalThis.URL = class extends URL {}
  globalThis.process = {
    argv: [], env: {}, platform: 'linux', release: {name: 'node'}, stdout: {}, stderr: {},
    version: '${process.version}', versions: {node: '${process.versions.node}'}, cwd: () => '/', on() {}, emitWarning() {},
  }
  let state = 1
  Math.random = () => {
    state = state + 0x6d2b79f5 | 0
    let mixed = Math.imul(state ^ state >>> 15, 1 | state)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32
  }
}`)

const scripts = new Map() // file → its code, and where it finds others

function script(file) {
  if (!scripts.has(file)) {
    const code = new vm.Script(Module.wrap(readFileSync(file, 'utf8')), {filename: file})
    scripts.set(file, {code, require: createRequire(file), found: new Map()})
  }
  return scripts.get(file)
}

/** Runs a file, and all that it requires, unless it is among the modules that already ran. */
function load(file, realm, modules) {
  if (modules.has(file)) return modules.get(file).exports
  const module = {exports: {}}
  modules.set(file, module)
  const {code, require, found} = script(file)
  const requireHere = wanted => {
    if (isBuiltin(wanted)) return require(wanted)
    if (!found.has(wanted)) found.set(wanted, require.resolve(wanted))
    return load(found.get(wanted), realm, modules)
  }
  code.runInContext(realm).call(module.exports, module.exports, requireHere, module, file, path.dirname(file))
  return module.exports
}

function start(name) {
  const codeGeneration = {strings: MAKES_CODE.has(name), wasm: false}
  const realm = vm.createContext(vm.constants.DONT_CONTEXTIFY, {codeGeneration})
  Object.assign(realm, GLOBALS)
  REALM.runInContext(realm)
  const library = load(createRequire(path.resolve('package.json')).resolve(name), realm, new Map())
  return {library, evaluate: code => vm.runInContext(code, realm)}
}

const started = new Map()
const used = new Set()

/** A library that no other answer has used, and what evaluates code of ours in its realm. */
export function fresh(name) {
  used.add(name)
  if (!started.has(name)) started.set(name, start(name))
  return started.get(name)
}

/** Ends an answer: what it has used is started anew. */
export function renew() {
  for (const name of used) started.set(name, start(name))
  used.clear()
}
