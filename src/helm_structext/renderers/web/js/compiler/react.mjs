// React: what mounts itself, a component, or an element; and scripts for Babel, which are the same.

import * as esbuild from 'esbuild'
import ts from 'typescript'
import {bundle} from './bundling.mjs'
import {Mistake, first} from './files.mjs'
import {callee, declarations, hosts, mountSelectors, nodes, parsed, topLevel, unused, unwrapped} from './syntax.mjs'

// Where a call mounts: the function → the number of its argument that is the place.
const PLACES = {createRoot: 0, hydrateRoot: 0, render: 1, hydrate: 1}
const isJsx = node => node !== undefined && /^Jsx/.test(ts.SyntaxKind[unwrapped(node).kind])

/** Whether a node mounts something by itself; `root.render` does so by what made the root. */
function mounts(node) {
  const [name, of] = callee(node)
  return Object.hasOwn(PLACES, name) && (PLACES[name] === 0 || of === 'ReactDOM' || (!of && isJsx(node.arguments?.[0])))
}

const place = node => mounts(node) ? node.arguments?.[PLACES[callee(node)[0]]] : undefined

/** Whether a declaration may be a component: a function, a class, or what a call makes of one. */
function isComponent([name, node]) {
  const made = ts.isVariableDeclaration(node) ? node.initializer && unwrapped(node.initializer) : node
  return /^\p{Lu}/u.test(name) && made !== undefined && (ts.isFunctionLike(made) || ts.isClassLike(made) || isJsx(made) ||
    ts.isTaggedTemplateExpression(made) || (ts.isCallExpression(made) && callee(made)[0] !== 'createContext'))
}

/** The name of what a module shows: the component that no other one uses, rather one that it exports. */
function shownOf(tree, exported) {
  const declared = declarations(tree.statements)
  const components = declared.filter(isComponent).map(([name]) => name)
  if (components.includes('App')) return 'App'
  const free = unused(declared).filter(name => components.includes(name))
  for (const some of [free.filter(name => exported.has(name)), free, components]) if (some.length) return some.at(-1)
  return undefined
}

// What React and its DOM have from release 19 on.
const NEW = {
  react: /^(use|useActionState|useOptimistic|useEffectEvent|Activity|cache)$/,
  'react-dom': /^(useFormStatus|requestFormReset|preload|preinit|preconnect|prefetchDNS)$/,
}

/** Whether code is written for React 19: it imports what is new, takes a `ref` as a prop, or a context as a component. */
function isForReact19(tree) {
  const all = nodes(tree)
  const contexts = new Set(declarations(tree.statements).filter(([, {initializer}]) => initializer && callee(initializer)[0] === 'createContext')
    .map(([name]) => name))
  return all.some(node => {
    if (ts.isImportDeclaration(node)) {
      const {elements = []} = node.importClause?.namedBindings ?? {}
      const names = Object.hasOwn(NEW, node.moduleSpecifier.text) ? NEW[node.moduleSpecifier.text] : undefined
      return names && elements.some(one => names.test((one.propertyName ?? one.name).text))
    }
    if (ts.isJsxOpeningElement(node)) return contexts.has(node.tagName.getText())
    if (ts.isPropertyAccessExpression(node)) return node.expression.getText() === 'React' && NEW.react.test(node.name.text)
    const [props] = ts.isFunctionLike(node) && node.parameters.length === 1 ? node.parameters : []
    return props && ts.isObjectBindingPattern(props.name) && takesJsxRef(node, props.name)
  })
}

/** Whether a function with one parameter is a component that gets `ref` among its props. */
const takesJsxRef = (node, props) => /^\p{Lu}/u.test((node.name ?? node.parent.name)?.text ?? '') &&
  props.elements.some(one => !one.dotDotDotToken && (one.propertyName ?? one.name).getText() === 'ref')

/** Whether code imports links to other pages, and none of the routers that they need around them. */
function isWithoutRouter(trees) {
  const names = trees.flatMap(one => one.statements)
    .filter(one => ts.isImportDeclaration(one) && /^react-router(-dom)?$/.test(one.moduleSpecifier.text))
    .flatMap(one => one.importClause?.namedBindings?.elements ?? []).map(one => (one.propertyName ?? one.name).text)
  return names.length > 0 && !names.some(one => /Router/.test(one))
}

/** The release of React that the files of an answer name. */
function releaseOf(files) {
  const about = Object.keys(files).find(name => /(^|\/)package\.json$/.test(name))
  const [, release] = /"react"\s*:\s*"[~^]?(\d+)/.exec(files[about] ?? '') ?? []
  return release && Number(release)
}

export async function react(files) {
  const trees = new Map()
  const tree = name => {
    if (!trees.has(name)) trees.set(name, parsed(name.replace(/\.(js|ts)$/, '.tsx'), files[name]))
    return trees.get(name)
  }
  const mounting = name => /\b(createRoot|hydrateRoot|render|hydrate)\b/.test(files[name]) && nodes(tree(name)).some(mounts)
  const name = first(files, /\.(jsx|tsx|js|ts)$/, mounting, /^(.*\/)?(App|index|main|page)\./)
  const code = tree(name)
  const [, exported] = topLevel(code)
  const mountsItself = mounting(name)
  const last = code.statements.at(-1)
  let choice = exported.has('default') ? 'default' : [...exported].filter(one => /^\p{Lu}/u.test(one)).at(-1)
  const shown = choice === 'default' ? undefined : shownOf(code, exported)
  if (shown) {
    files = {...files, [name]: `${files[name]}\n;export {${shown} as shown}`}
    choice = 'shown'
  } else if (!choice && last && ts.isExpressionStatement(last) && isJsx(last.expression)) {
    const start = last.getStart()
    files = {...files, [name]: `${files[name].slice(0, start)}export default ${files[name].slice(start)}`}
    choice = 'default'
  }
  if (!choice && !code.parseDiagnostics.length && !mountsItself) {
    throw new Mistake(name, 0, 'the code has no component to show')
  }
  const scripts = Object.keys(files).filter(one => /\.(jsx|tsx|js|ts)$/.test(one))
  const isRouted = isWithoutRouter(scripts.map(tree))
  const entry = `
    import * as code from ${JSON.stringify(name)}
    import {createElement, isValidElement} from 'react'
    import {createRoot} from 'react-dom/client'
    ${isRouted ? `import {MemoryRouter} from 'react-router-dom'` : ''}
    const mounted = [...document.querySelectorAll('*')].some(
      element => Object.keys(element).some(key => key.startsWith('__reactContainer$')))
    if (!mounted) {
      const shown = code[${JSON.stringify(choice ?? 'default')}]
      if (shown === undefined) throw new Error('the code mounts nothing and has no component to show')
      const element = isValidElement(shown) ? shown : createElement(shown)
      createRoot(document.body.firstElementChild).render(${isRouted ? 'createElement(MemoryRouter, null, element)' : 'element'})
    }`
  const globals = {
    React: `import * as React from 'react'; export {React}`,
    ReactDOM: `import * as old from 'react-dom'; import * as client from 'react-dom/client'
      export const ReactDOM = /* @__PURE__ */ Object.assign({}, old, client)`,
  }
  const elements = hosts(mountsItself ? mountSelectors(code, place) : [], '#root')
  const isNew = releaseOf(files) ?? (scripts.some(one => isForReact19(tree(one))) ? 19 : 18)
  const needsOld = scripts.some(one => /['"]@react-three\//.test(files[one])) // It is a renderer of its own, for 18.
  // Release 7 has the links in the first, release 6 in the second.
  const aliases = {'react-router': 'react-router-dom', 'react-router/dom': 'react-router-dom'}
  return bundle(files, entry, {aliases, globals, elements, release: isNew >= 19 && !needsOld ? '19/' : '', ui: true})
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
