// React: what mounts itself, a component, or an element; and scripts for Babel, which are the same.

import * as esbuild from 'esbuild'
import ts from 'typescript'
import {bundle} from './bundling.mjs'
import {Mistake, first, mountId} from './files.mjs'
import {parsed, topLevel, unwrapped} from './syntax.mjs'

const MOUNTS_REACT = /\b(createRoot|hydrateRoot|ReactDOM\.render)\s*\(|^\s*render\s*\(\s*</m

export async function react(files) {
  const name = first(files, /\.(jsx|tsx|js|ts)$/, MOUNTS_REACT, /^(.*\/)?(App|index|main)\./)
  const tree = parsed(name.replace(/\.(js|ts)$/, '.tsx'), files[name])
  const [declared, exported] = topLevel(tree)
  const last = tree.statements.at(-1)
  const components = declared.filter(one => /^\p{Lu}/u.test(one))
  let choice = exported.has('default') ? 'default'
    : exported.has('App') ? 'App' : [...exported].filter(one => /^\p{Lu}/u.test(one)).at(-1)
  if (!choice && components.length) {
    const one = components.includes('App') ? 'App' : components.at(-1)
    files = {...files, [name]: `${files[name]}\n;export {${one} as shown}`}
    choice = 'shown'
  } else if (!choice && last && ts.isExpressionStatement(last) &&
      /^Jsx/.test(ts.SyntaxKind[unwrapped(last.expression).kind])) {
    const start = last.getStart()
    files = {...files, [name]: `${files[name].slice(0, start)}export default ${files[name].slice(start)}`}
    choice = 'default'
  }
  if (!choice && !tree.parseDiagnostics.length && !MOUNTS_REACT.test(files[name])) {
    throw new Mistake(name, 0, 'the code has no component to show')
  }
  const entry = `
    import * as code from ${JSON.stringify(name)}
    import {createElement, isValidElement} from 'react'
    import {createRoot} from 'react-dom/client'
    const mounted = [...document.querySelectorAll('*')].some(
      element => Object.keys(element).some(key => key.startsWith('__reactContainer$')))
    if (!mounted) {
      const shown = code[${JSON.stringify(choice ?? 'default')}]
      if (shown === undefined) throw new Error('the code mounts nothing and has no component to show')
      createRoot(document.body.firstElementChild).render(isValidElement(shown) ? shown : createElement(shown))
    }`
  const globals = {
    React: `import * as React from 'react'; export {React}`,
    ReactDOM: `import * as old from 'react-dom'; import * as client from 'react-dom/client'
      export const ReactDOM = /* @__PURE__ */ Object.assign({}, old, client)`,
  }
  const id = mountId(Object.values(files).join('\n'), 'root')
  return bundle(files, entry, {globals, elements: [`<div id="${id}"></div>`]})
}

/** Scripts for Babel in an HTML page: the same names, compiled and not bundled. */
export async function scripts(files) {
  const made = {}
  for (const [name, text] of Object.entries(files)) {
    try {
      const {code} = await esbuild.transform(text, {
        loader: 'tsx', jsx: 'transform', target: 'es2022', charset: 'utf8', logLevel: 'silent',
        tsconfigRaw: {compilerOptions: {verbatimModuleSyntax: true, experimentalDecorators: true}},
      })
      made[name] = code
    } catch (error) {
      const {text: said, location} = error.errors[0]
      throw new Mistake(name, location?.line ?? 0, said)
    }
  }
  return {files: made, elements: [], log: []}
}
