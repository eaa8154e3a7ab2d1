// Compiles what models wrote, one request after the other: a line of JSON in, a line of JSON out.
//
// Request: {id, kind, files: {name: text}} → {id, files: {name: text}, elements: [HTML], log: [text]}
//          {id, kind: 'locate', map, line, column} → {id, file, line}
// Errors:  {id, errors: [{file, line, text}]}
// Each reply also has `clean`: whether the process may take the request of another answer.
//
// It runs no code that it compiles, and makes none of text (`--disallow-code-generation-from-strings`).
// An import leads to another file of the request, to one of the bundled modules (`bundle.mjs`) or to a
// style sheet of a package, and nowhere else. Nothing of one request is there for the next.

import {SourceMap} from 'node:module'
import {createInterface} from 'node:readline'
import {angular} from './angular.mjs'
import {renew} from './fresh.mjs'
import {react, scripts} from './react.mjs'
import {vue} from './vue.mjs'

function locate({map, line, column}) {
  const found = new SourceMap(JSON.parse(map)).findEntry(line - 1, column - 1)
  return {file: String(found.originalSource ?? '').replace(/^[a-z]+:/, ''), line: Number(found.originalLine ?? -1) + 1}
}

const KINDS = {
  react: ({files}) => react(files), scripts: ({files}) => scripts(files), vue: ({files}) => vue(files),
  angular: ({files}) => angular(files), locate,
}

// What all code of the process shares. Its properties are counted.
const SHARED = [globalThis, process.env, ...[
  Object, Function, Array, String, Number, Boolean, Symbol, RegExp, Error, Promise, Map, Set, Math, JSON, Reflect,
].flatMap(one => [one, one.prototype ?? {}])]
const properties = () => SHARED.map(one => Reflect.ownKeys(one).length).join()

let unexpected
process.on('unhandledRejection', error => unexpected(error))

/** The reply to a request; an error that nobody expects is one of the code, which alone decides. */
async function answer(request) {
  ''.match(/^/) // Else `RegExp.$1` and its like are those of the last request.
  try {
    const failed = new Promise((_, reject) => { unexpected = reject })
    return {...await Promise.race([KINDS[request.kind](request), failed]), clean: true}
  } catch (error) {
    if (error.errors) return {errors: error.errors, clean: true}
    if (error.syscall || /^The service/.test(error.message)) throw error // The machine's, or esbuild's end.
    return {errors: [{file: '', line: 0, text: `the compiler gave up: ${error.message}`}], clean: false}
  }
}

// What is loaded before the first request does not count as its time.
const WARM = {
  react: {'App.jsx': 'export default () => <p>ready</p>'},
  vue: {'App.vue': '<script setup lang="ts">const a: number = 1</script><template><p>{{ a }}</p></template>'},
  angular: {'app.ts': `import {Component} from '@angular/core'\n@Component({template: ''}) export class App {}`},
}
const kind = process.argv[2]
await answer({kind, files: WARM[kind]})
renew()
const before = properties()
process.stdout.write('ready\n')
for await (const line of createInterface({input: process.stdin})) {
  const request = JSON.parse(line)
  const reply = await answer(request)
  reply.clean &&= properties() === before
  process.stdout.write(`${JSON.stringify({...reply, id: request.id})}\n`)
  renew()
}
