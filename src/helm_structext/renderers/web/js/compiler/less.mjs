// Less → CSS. A style sheet may use others of the answer; plug-ins and JavaScript in it are not run.

import {Mistake, find} from './files.mjs'
import {fresh} from './fresh.mjs'

const COMPILE = `(less, text, filename, read) => {
  class Files extends less.AbstractFileManager {
    supports() { return true }
    supportsSync() { return true }
    loadFileSync(name, folder) {
      const found = read(name, folder)
      return found ? {...found} : {type: 'File', message: "'" + name + "' is not in the answer"}
    }
  }
  less.environment.clearFileManagers()
  less.environment.addFileManager(new Files())
  let made
  less.render(text, {filename, syncImport: true, disablePluginRule: true, javascriptEnabled: false},
    (error, output) => { made = {error, css: output?.css} })
  return made
}`

// What lies at another host is the page's to load, as in CSS; Less would read it.
const external = text => text.replace(/@import\s+(?=(?:url\(\s*)?["']?(?:https?:)?\/\/)/g, '@import (css) ')

/** What a style sheet of Less is in CSS. */
export function less(text, name, files) {
  const {library, evaluate} = fresh('less')
  const read = (wanted, folder) => {
    const filename = find(files, /\.\w+$/.test(wanted) ? wanted : `${wanted}.less`, `${folder}x`)
    return filename === undefined ? undefined : {filename, contents: external(files[filename])}
  }
  const {error, css} = evaluate(COMPILE)(library, external(text), name, read)
  if (error) throw new Mistake(error.filename ?? name, error.line ?? 0, `Less: ${error.message}`)
  return css
}
