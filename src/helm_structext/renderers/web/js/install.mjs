// Runs npm with less memory and fewer files. By itself it unpacks all packages at a time, each as a whole in
// memory, with all that they bring for people and other tools.
//
//     node install.mjs NPM-SCRIPT ci …

import {createRequire} from 'node:module'
import {relative, resolve} from 'node:path'
import {isUnread} from './unused.mjs'

const AT_A_TIME = 8

/** Runs works, no more at a time than there are places; others wait for their turn. */
function limit(places) {
  const waiting = []
  return async work => {
    if (places) places--
    else await new Promise(turn => waiting.push(turn))
    try {
      return await work()
    } finally {
      if (waiting.length) waiting.shift()()
      else places++
    }
  }
}

/** Lets npm's own modules unpack a few packages at a time, and only what is asked for. */
function restrain(require) {
  const pacote = require.resolve('pacote')
  const tar = createRequire(pacote).resolve('tar')
  const {x: extract} = require(tar)
  const isAsked = (folder, path) => !isUnread(relative(resolve('node_modules'), `${folder}/${path.slice(path.indexOf('/') + 1)}`))
  require.cache[tar].exports = {
    ...require(tar),
    x: options => extract({...options, filter: (path, entry) => isAsked(options.cwd, path) && options.filter(path, entry)}),
  }
  const fetcher = Object.getPrototypeOf(require(pacote).RemoteFetcher.prototype)
  const {extract: unpack} = fetcher
  const inTurn = limit(AT_A_TIME)
  fetcher.extract = function (...folder) { return inTurn(() => unpack.apply(this, folder)) }
}

process.argv.splice(1, 1)
const require = createRequire(process.argv[1])
try {
  restrain(require)
} catch {
  // Another release of npm, which does without: what is too much is removed later (`bundle.mjs`).
}
require(process.argv[1])
