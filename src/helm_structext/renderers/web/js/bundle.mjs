// Makes `vendor/`: one module file for each package that a completion may import, and what several
// share in files of its own, so that a page has one React and one Vue. `modules.json` says which
// file a module is in and what it exports. Run by `helm-structext setup`, after npm.

import {readdirSync} from 'node:fs'
import {readFile, rm, writeFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {transformAsync} from '@babel/core'
import {ConsoleLogger, LogLevel, NodeJSFileSystem} from '@angular/compiler-cli'
import {createEs2015LinkerPlugin} from '@angular/compiler-cli/linker/babel'
import {build} from 'esbuild'
import {PAGE_ENTRIES, PAGE_MODULES, removeUnused} from './pages.mjs'

const require = createRequire(import.meta.url)
const about = name => require(`./node_modules/${name}/package.json`)
// What a package offers beside itself, but for what is of use to tests alone.
const inside = name => Object.keys(about(name).exports)
  .filter(path => /^\.\/[\w/-]+$/.test(path) && !/\b(testing|private|schematics|prebuilt|_?theming)\b/.test(path))
  .map(path => name + path.slice(1))
const folders = name => readdirSync(`node_modules/${name}`, {withFileTypes: true})
  .filter(one => one.isDirectory() && one.name !== 'lib').map(one => `${name}/${one.name}`)

const ADDONS = [
  ...readdirSync('node_modules/three/examples/jsm/controls').map(name => `controls/${name}`),
  'environments/RoomEnvironment.js', 'geometries/RoundedBoxGeometry.js', 'geometries/TextGeometry.js',
  'libs/lil-gui.module.min.js', 'libs/stats.module.js', 'loaders/FontLoader.js', 'loaders/GLTFLoader.js',
  'loaders/OBJLoader.js', 'loaders/STLLoader.js', 'postprocessing/EffectComposer.js',
  'postprocessing/OutputPass.js', 'postprocessing/RenderPass.js', 'postprocessing/ShaderPass.js',
  'postprocessing/UnrealBloomPass.js', 'renderers/CSS2DRenderer.js', 'renderers/CSS3DRenderer.js',
]

const MODULES = [...new Set([
  ...PAGE_MODULES,
  'react', 'react/jsx-runtime', 'react/jsx-dev-runtime', 'react-dom', 'react-dom/client',
  '@emotion/react', '@emotion/react/jsx-runtime', '@emotion/styled', 'framer-motion',
  'lucide-react', 'prop-types', 'react-bootstrap', 'react-chartjs-2', 'react-markdown',
  'react-router-dom', 'recharts', 'remark-gfm', 'styled-components',
  'vue', 'vue-2', 'vue-router', 'pinia', 'vuex', 'vue-chartjs',
  '@angular/animations', '@angular/common', '@angular/common/http', '@angular/compiler',
  '@angular/core', '@angular/core/rxjs-interop', '@angular/forms', '@angular/platform-browser',
  '@angular/platform-browser/animations', '@angular/platform-browser-dynamic', '@angular/router',
  'rxjs', 'rxjs/operators', 'tslib', 'zone.js',
  'axios', 'chart.js', 'chart.js/auto', 'classnames', 'clsx', 'd3', 'dayjs', 'jquery', 'lodash',
  'marked', 'mermaid', 'moment', 'uuid',
  'chart.js/helpers', 'chartjs-adapter-date-fns', 'chartjs-adapter-luxon', 'chartjs-adapter-moment',
  'chartjs-plugin-annotation', 'chartjs-plugin-datalabels', 'chartjs-plugin-zoom', 'hammerjs',
  'date-fns', 'date-fns/locale', 'htmx.org', 'leaflet', 'luxon', 'zod',
  '@hookform/resolvers/zod', '@mui/icons-material', '@mui/material', '@mui/material/colors',
  '@mui/material/styles', '@reduxjs/toolkit', '@reduxjs/toolkit/query/react', 'react-hook-form',
  'react-icons', ...folders('react-icons'), 'react-leaflet', 'react-redux', 'redux',
  'three', ...ADDONS.map(name => `three/addons/${name}`),
  'vuetify', 'vuetify/components', 'vuetify/directives', 'vuetify/iconsets/mdi',
  ...inside('@angular/cdk'), ...inside('@angular/material'),
])]
// Packages of which nothing but the bundled modules is ever asked for: 32,000 files, 215 MB.
const BUNDLED_ONLY = ['@mui/icons-material', 'react-icons']

const OPTIONS = {
  bundle: true, format: 'esm', metafile: true, platform: 'browser', target: 'es2022',
  mainFields: ['module', 'browser', 'main'], logLevel: 'error',
  // Vuetify's components import their styles, which are all in its one sheet.
  loader: {'.css': 'empty'},
  // The builds that have a compiler for templates in them.
  alias: {
    vue: 'vue/dist/vue.esm-bundler.js', 'vue-2': 'vue-2/dist/vue.esm.js', leaflet: 'leaflet/dist/leaflet-src.esm.js',
  },
  define: {
    // Messages for people, not numbers.
    'process.env.NODE_ENV': '"development"', ngDevMode: 'true',
    __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
}

const fileName = name => name.replace('@', '').replaceAll('/', '-')

const ENTRIES = {
  ...PAGE_ENTRIES,
  // The package's own module has no default, and its script for pages is nothing else.
  leaflet: `export * from 'leaflet'; import * as all from 'leaflet'; export default {...all}`,
  // As in the package's own build for pages, all components are known.
  vuetify: `import {createVuetify as create} from 'vuetify'; export * from 'vuetify'
    import * as components from 'vuetify/components'; import * as directives from 'vuetify/directives'
    export const createVuetify = options => create({components, directives, ...options})`,
}

/** What a module is outside of a page; nothing where it needs one. */
function run(name) {
  try {
    return require(name)
  } catch {
    return {}
  }
}

/** What each module exports. */
async function exportsOf(names) {
  const {metafile} = await build({
    ...OPTIONS, outdir: 'probe', write: false, splitting: true,
    entryPoints: names.map(name => ({in: name, out: fileName(name)})),
  })
  return Object.fromEntries(names.map(name => [name, metafile.outputs[`probe/${fileName(name)}.js`].exports]))
}

const found = await exportsOf(MODULES.filter(name => !(name in ENTRIES)))

/** A module that exports all that a package does. */
function entry(name) {
  if (name in ENTRIES) return ENTRIES[name]
  const from = JSON.stringify(name)
  const exports = found[name]
  if (!exports.length) return `import ${from}`
  if (exports.join() !== 'default') {
    return `export * from ${from};${exports.includes('default') ? `export {default} from ${from}` : ''}`
  }
  // Modules in the old style name nothing in advance: their names are found by running them.
  const names = Object.keys(run(name)).filter(key => /^[\w$]+$/.test(key) && !/^(default|__esModule)$/.test(key))
  return `import all from ${from}; export default all; export const {${names.join()}} = all`
}

const linker = createEs2015LinkerPlugin({
  fileSystem: new NodeJSFileSystem(), logger: new ConsoleLogger(LogLevel.warn), linkerJitMode: true,
})
const plugin = {
  name: 'entries',
  setup(build) {
    build.onResolve({filter: /^entry:/}, ({path}) => ({path: path.slice(6), namespace: 'entry'}))
    build.onLoad({filter: /.*/, namespace: 'entry'}, ({path}) => ({contents: entry(path), resolveDir: '.'}))
    // Angular's packages come half compiled. The rest is done here, once, and not in each page.
    build.onLoad({filter: /@angular.*\.mjs$/}, async ({path}) => {
      const code = await readFile(path, 'utf8')
      if (!code.includes('ɵɵngDeclare')) return {contents: code}
      const linked = await transformAsync(code, {
        filename: path, plugins: [linker], compact: false, babelrc: false, configFile: false,
      })
      return {contents: linked.code}
    })
  },
}

const {metafile} = await build({
  ...OPTIONS, plugins: [plugin], outdir: 'vendor', splitting: true, legalComments: 'none',
  minifySyntax: true, minifyWhitespace: true,
  entryPoints: MODULES.map(name => ({in: `entry:${name}`, out: fileName(name)})),
})
const modules = MODULES.map(name => {
  const file = `${fileName(name)}.js`
  return [name, {file, names: metafile.outputs[`vendor/${file}`].exports}]
})
// The names that add-ons had before, and all of them without their ending.
for (const [name, module] of [...modules]) {
  const names = [name, name.replace(/^three\/addons/, 'three/examples/jsm')]
  if (name.startsWith('three/')) modules.push(...names.flatMap(one => [[one, module], [one.replace(/\.js$/, ''), module]]))
}
await writeFile('vendor/modules.json', JSON.stringify(Object.fromEntries(modules)))
for (const name of BUNDLED_ONLY) await rm(`node_modules/${name}`, {recursive: true})
await removeUnused()
