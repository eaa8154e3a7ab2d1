// Vue: what mounts itself, components with options, or single-file components.

import path from 'node:path'
import ts from 'typescript'
import {bundle} from './bundling.mjs'
import {css} from './css.mjs'
import {Mistake, find, first, has} from './files.mjs'
import {fresh} from './fresh.mjs'
import {callee, declarations, hosts, mountSelectors, nodes, parsed, topLevel, unused} from './syntax.mjs'

const mounts = node => /^create(SSR)?App$/.test(callee(node)[0]) || (ts.isNewExpression(node) && callee(node)[0] === 'Vue')

/** The place that a call mounts into: `app.mount(place)`, `new Vue({el: place})`. */
function place(node) {
  const [name] = callee(node)
  if (/^\$?mount$/.test(name)) return node.arguments[0]
  const options = name === 'Vue' && ts.isNewExpression(node) ? node.arguments?.[0] : undefined
  return options && ts.isObjectLiteralExpression(options)
    ? options.properties.find(one => ts.isPropertyAssignment(one) && one.name.getText() === 'el')?.initializer : undefined
}

// What a project would give to a component: what in its code says so → imports, and what the app gets. Links
// lead to pages that are all empty here.
const PLUGINS = [
  [/['"]pinia['"]/, `import {createPinia} from 'pinia'`, `app.use(createPinia())`],
  [/['"]vue-router['"]|<(router-(link|view)|Router(Link|View))\b/, `import {createMemoryHistory, createRouter} from 'vue-router'`, `
    const router = createRouter({history: createMemoryHistory(), routes: [{path: '/:any(.*)*', component: {render: () => null}}]})
    const {resolve} = router
    router.resolve = (to, from) => resolve(to.name ? '/' : to, from)
    app.use(router)`],
  [/['"]vuetify\b|<v-(app|btn|card|chip|col|container|list|row|sheet|table|text-field)\b/, `
    import {createVuetify} from 'vuetify'
    import 'vuetify/styles'
    import '@mdi/font/css/materialdesignicons.css'`, `app.use(createVuetify())`],
  [/['"]element-plus\b|<el-(button|card|col|container|form|input|menu|row|table|tag)\b/, `
    import ElementPlus from 'element-plus'
    import 'element-plus/dist/index.css'`, `app.use(ElementPlus)`],
  [/['"]ant-design-vue\b|<a-(button|card|col|form|input|layout|menu|row|table|tag)\b/, `
    import Antd from 'ant-design-vue'
    import 'ant-design-vue/dist/reset.css'`, `app.use(Antd)`],
  [/<n-(button|card|config-provider|data-table|form|input|layout|menu|space|tag)\b/, `import naive from 'naive-ui'`, `app.use(naive)`],
  [/['"]quasar\b|<q-(btn|card|input|item|layout|list|page|table|toolbar)\b/, `
    import * as quasar from 'quasar'
    import 'quasar/dist/quasar.css'
    import 'material-icons/iconfont/material-icons.css'`, `app.use(quasar.Quasar, {components: quasar})`],
  [/['"]primevue\b/, `
    import PrimeVue from 'primevue/config'
    import Aura from '@primeuix/themes/aura'
    import 'primeicons/primeicons.css'`, `app.use(PrimeVue, {theme: {preset: Aura}})`],
  [/['"]vue-i18n['"]/, `import {createI18n} from 'vue-i18n'`, `app.use(createI18n({legacy: false, locale: 'en'}))`],
  [/['"]@tanstack\/vue-query['"]/, `import {VueQueryPlugin} from '@tanstack/vue-query'`, `app.use(VueQueryPlugin)`],
]

export async function vue(files) {
  const {library: sfc} = fresh('@vue/compiler-sfc')
  sfc.registerTS(() => ts)
  files = {...files}
  const tree = file => parsed(file.replace(/\.js$/, '.tsx'), files[file])
  const mounting = file => !file.endsWith('.vue') && /\b(create\w*App|Vue)\b/.test(files[file]) && nodes(tree(file)).some(mounts)
  const name = first(files, /\.(vue|js|ts|jsx|tsx)$/, mounting, /^(.*\/)?(App|main|index)\./)
  const all = Object.values(files).join('\n')
  const second = /\bnew\s+Vue\s*\(|\bVue\.(component|use|extend|filter)\s*\(/.test(all)
  const mountsItself = mounting(name)
  let choice = 'default'
  if (!mountsItself && !name.endsWith('.vue')) {
    const code = tree(name)
    const [declared, exported] = topLevel(code)
    if (!exported.has('default') && declared.length) {
      const shown = declared.includes('App') ? 'App' : unused(declarations(code.statements)).at(-1) ?? declared.at(-1)
      files[name] += `\n;export {${shown} as shown}`
      choice = 'shown'
    }
  }
  const plugins = mountsItself || second ? [] : PLUGINS.filter(([sign]) => sign.test(all))
  const mount = mountsItself ? '' : second
    ? `import Vue from 'vue'; new Vue({render: make => make(code[${JSON.stringify(choice)}])}).$mount('#app')`
    : `import {createApp} from 'vue'
       ${plugins.map(([, imports]) => imports).join('\n')}
       const shown = code[${JSON.stringify(choice)}]
       if (!shown) throw new Error('the code has no component to show')
       const app = createApp(shown)
       ${plugins.map(([, , use]) => `{${use}}`).join('\n')}
       app.mount('#app')`
  const entry = `import * as code from ${JSON.stringify(name)}\n${mount}`
  const globals = {Vue: second
    ? `import Vue from 'vue'; export {Vue}` : `import * as Vue from 'vue'; export {Vue}`}
  const load = async (file, unresolved) =>
    file.endsWith('.vue') ? component(sfc, files, file, unresolved) : null
  return bundle(files, entry, {
    globals, load, aliases: second ? {vue: 'vue-2'} : {},
    elements: hosts(mountsItself ? mountSelectors(tree(name), place) : [], '#app'),
  })
}

/** A single-file component as a module, with its template and style sheets as others. */
async function component(sfc, files, file, unresolved) {
  const source = files[file]
  const id = `data-v-${hash(source)}`
  const {descriptor, errors} = sfc.parse(source, {filename: file})
  if (errors.length) throw mistakeOfVue(file, errors[0])
  const {template, styles} = descriptor
  for (const block of [template, descriptor.script, descriptor.scriptSetup, ...styles]) {
    if (block?.src) {
      const found = find(files, block.src, file)
      if (!found) throw new Mistake(file, block.loc.start.line, `cannot find "${block.src}": there is no such file in the answer`)
      block.content = files[found]
      if (block === template) block.ast = undefined
    }
  }
  const lines = []
  const language = descriptor.scriptSetup?.lang ?? descriptor.script?.lang ?? 'js'
  const scoped = styles.some(style => style.scoped)
  let bindings
  try {
    if (descriptor.script || descriptor.scriptSetup) {
      const script = sfc.compileScript(descriptor, {
        id, genDefaultAs: '__component',
        fs: {fileExists: name => has(files, name), readFile: name => files[name], realpath: name => name},
      })
      bindings = script.bindings
      lines.push(script.content, mapped(script.map))
    } else {
      lines.push('const __component = {}')
    }
  } catch (error) {
    throw mistakeOfVue(file, error)
  }
  if (template) {
    if (template.lang && template.lang !== 'html') {
      throw new Mistake(file, template.loc.start.line, `templates in ${template.lang} are not supported`)
    }
    const compiled = sfc.compileTemplate({
      source: template.content, ast: template.ast, inMap: template.map, filename: file, id, scoped,
      compilerOptions: {
        // Else it would run constant expressions of the template, to write them as text.
        hoistStatic: false,
        scopeId: scoped ? id : undefined, bindingMetadata: bindings,
        expressionPlugins: /^ts/.test(language) ? ['typescript'] : [],
      },
    })
    if (compiled.errors.length) throw mistakeOfVue(file, compiled.errors[0])
    files[`template:${file}`] = `${compiled.code}\n${mapped(compiled.map)}`
    lines.push(`import {render as __render} from 'template:${file}'`, '__component.render = __render')
  }
  // A style sheet, with those of the answer that its classes are composed from.
  const styled = (source, name, {scoped, modules, above = []}) => {
    class Loader {
      codes = []
      finalSource = ''
      async fetch(wanted, from) {
        const found = find(files, wanted, from)
        if (!found) throw new Mistake(name, 0, `cannot find "${wanted}": there is no such file in the answer`)
        if ([...above, name].includes(found)) throw new Mistake(name, 0, `"${wanted}" is composed from itself`)
        const text = css(files[found], found, files)
        const made = await styled(text, found, {scoped, modules: true, above: [...above, name]})
        if (made.errors.length) throw made.errors[0]
        if (!this.codes.includes(made.code)) this.codes.push(made.code)
        this.finalSource = this.codes.join('\n')
        return made.modules
      }
    }
    return sfc.compileStyleAsync({source, filename: name, id, scoped, modules, modulesOptions: {Loader}})
  }
  const classes = {}
  for (const [number, style] of styles.entries()) {
    const written = css(style.content, `${file}.${style.lang ?? 'css'}`, files)
    const compiled = await styled(written, file, {scoped: style.scoped, modules: Boolean(style.module)})
    if (compiled.errors.length) throw mistakeOfVue(file, compiled.errors[0], style.loc.start.line - 1)
    if (style.module) classes[style.module === true ? '$style' : style.module] = compiled.modules
    files[`style:${file}:${number}`] = compiled.code
    lines.push(`import 'style:${file}:${number}'`)
  }
  if (scoped) lines.push(`__component.__scopeId = '${id}'`)
  if (Object.keys(classes).length) lines.push(`__component.__cssModules = ${JSON.stringify(classes)}`)
  lines.push(`__component.__name ??= ${JSON.stringify(path.parse(file).name)}`, 'export default __component')
  const scripts = [descriptor.script, descriptor.scriptSetup].filter(Boolean)
  return {
    contents: lines.join('\n'), loader: /x$/.test(language) ? 'tsx' : 'ts',
    errors: scripts.flatMap(block => unresolved(file, block.content, block.loc.start.line - 1)),
  }
}

const mapped = map => map
  ? `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}` : ''

const hash = text => {
  let sum = 5381
  for (let place = 0; place < text.length; place++) sum = (sum * 33 ^ text.charCodeAt(place)) >>> 0
  return sum.toString(16).padStart(8, '0')
}

function mistakeOfVue(file, error, before = 0) {
  if (error instanceof Mistake) return error
  const said = typeof error === 'string' ? error : error.message
  // Errors in a script begin with "[@vue/compiler-sfc] …" and show the place in a frame of code, whose
  // lines are those of the file; their own are those of the script.
  const line = Number(/^\s*>?\s*(\d+)\s*\|.*\n\s*\|\s*\^/m.exec(said)?.[1] ??
    error.loc?.start?.line ?? error.loc?.line ?? error.line ?? /\((\d+):\d+\)/.exec(said)?.[1] ?? 0)
  const text = said.replace(/^(\[@?vue\/compiler-sfc\]|(\S+: )?\S*?:\d+:\d+:)\s*/, '').split('\n')[0]
    .replace(/ \(\d+:\d+\)$/, '')
  return new Mistake(file, line + before, text)
}
