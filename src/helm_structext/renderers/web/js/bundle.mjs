// Makes `vendor/`: one module file for each package that a completion may import, and what several
// share in files of its own, so that a page has one React and one Vue. `modules.json` says which
// file a module is in and what it exports. Run by `helm-structext setup`, after npm.

import {existsSync, readdirSync} from 'node:fs'
import {readFile, writeFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {resolve} from 'node:path'
import {build, stop} from 'esbuild'
import {PAGE_ENTRIES, PAGE_MODULES} from './pages.mjs'
import {removeUnused} from './unused.mjs'

// esbuild looks more often for memory that it can use again: a fifth less is in use, for a few seconds.
process.env.GOGC ??= '60'

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

// Packages that others bring along, by how their names begin.
const beginning = (folder, start) => readdirSync(`node_modules/${folder}`).filter(name => name.startsWith(start))
  .map(name => folder ? `${folder}/${name}` : name)

// What a page has once, of release 18 or 19. All else is bundled for both: it imports these by their
// files, and a page of release 19 finds others under the same names (`cdn.py`).
const REACT = ['react', 'react/jsx-runtime', 'react/jsx-dev-runtime', 'react-dom', 'react-dom/client', 'react-is']

// Our components by the names of shadcn/ui: the file in `ui` → the names under which it is imported.
const UI = {
  utils: ['utils', 'use-mobile'],
  basic: ['alert', 'badge', 'breadcrumb', 'button', 'button-group', 'card', 'empty', 'field', 'input', 'input-group', 'item',
    'kbd', 'label', 'native-select', 'pagination', 'skeleton', 'spinner', 'table', 'textarea'],
  controls: ['accordion', 'aspect-ratio', 'avatar', 'checkbox', 'collapsible', 'progress', 'radio-group', 'scroll-area',
    'select', 'separator', 'slider', 'switch', 'tabs', 'toggle', 'toggle-group'],
  overlays: ['alert-dialog', 'context-menu', 'dialog', 'dropdown-menu', 'hover-card', 'menubar', 'navigation-menu',
    'popover', 'sheet', 'toast', 'toaster', 'tooltip', 'use-toast'],
  ...Object.fromEntries(['calendar', 'carousel', 'chart', 'command', 'drawer', 'form', 'input-otp', 'resizable', 'sidebar',
    'sonner'].map(name => [name, [name]])),
}

const REACT_LIBRARIES = [
  '@emotion/react', '@emotion/react/jsx-runtime', '@emotion/styled', 'framer-motion',
  'lucide-react', 'prop-types', 'react-bootstrap', 'react-chartjs-2', 'react-markdown',
  'react-router-dom', 'recharts', 'remark-gfm', 'styled-components',
  '@hookform/resolvers/zod', '@mui/icons-material', '@mui/material', '@mui/material/colors',
  '@mui/material/styles', '@reduxjs/toolkit', '@reduxjs/toolkit/query/react', 'react-hook-form',
  'react-icons', 'react-leaflet', 'react-redux', 'redux',
  ...beginning('@radix-ui', 'react-'), 'radix-ui', '@radix-ui/themes', ...Object.keys(UI).map(name => `ui/${name}`),
  '@hookform/resolvers/yup', 'react-router', 'class-variance-authority', 'tailwind-merge',
  'next/dynamic', 'next/head', 'next/image', 'next/link', 'next/navigation', 'next/router', 'next/script', 'next-themes',
  'zustand', 'zustand/middleware', 'zustand/middleware/immer', 'zustand/react/shallow', 'zustand/shallow',
  'jotai', 'jotai/utils', 'valtio', 'immer', 'use-immer', 'swr',
  '@tanstack/react-query', '@tanstack/react-table', '@tanstack/react-virtual',
  'motion', 'motion/react', '@react-spring/web',
  '@xyflow/react', 'reactflow', '@react-three/fiber', '@react-three/drei',
  '@headlessui/react', 'antd', '@ant-design/icons', '@chakra-ui/react', '@chakra-ui/icons',
  'sonner', 'react-hot-toast', 'react-toastify', 'cmdk', 'vaul', 'embla-carousel-react', 'embla-carousel-autoplay',
  'react-day-picker', 'input-otp', 'react-resizable-panels',
  '@dnd-kit/core', '@dnd-kit/modifiers', '@dnd-kit/sortable', '@dnd-kit/utilities', '@hello-pangea/dnd',
  'react-dnd', 'react-dnd-html5-backend', 'react-intersection-observer', 'usehooks-ts', 'react-use',
  'react-select', 'react-datepicker', 'react-window', 'react-virtualized-auto-sizer',
  'prism-react-renderer', 'remark-math', 'remark-breaks', 'rehype-katex', 'rehype-raw', 'rehype-highlight', 'react-katex',
  'formik', 'yup', 'react-helmet-async', 'react-dropzone', 'react-countup', 'react-transition-group', 'react-error-boundary',
  'react-i18next', 'i18next', 'react-confetti', 'react-draggable', 'react-grid-layout', 'react-slick', 'swiper/react',
  '@fortawesome/react-fontawesome', '@fortawesome/fontawesome-svg-core',
  ...['bar', 'heatmap', 'line', 'pie', 'radar'].map(name => `@nivo/${name}`), 'victory',
  'echarts-for-react', 'react-apexcharts', 'wouter', '@emotion/css',
]

// What shares nothing with those but React.
const REACT_ALONE = [
  ...['16/solid', '20/solid', '24/outline', '24/solid'].map(name => `@heroicons/react/${name}`), '@tabler/icons-react',
  '@fortawesome/free-brands-svg-icons', '@fortawesome/free-regular-svg-icons', '@fortawesome/free-solid-svg-icons',
  'react-syntax-highlighter', 'react-syntax-highlighter/dist/esm/styles/hljs', 'react-syntax-highlighter/dist/esm/styles/prism',
]

const VUE_LIBRARIES = [
  'vue', 'vue-2', 'vue-router', 'pinia', 'vuex', 'vue-chartjs',
  'vuetify', 'vuetify/components', 'vuetify/directives', 'vuetify/iconsets/mdi',
  '@vueuse/core', '@vueuse/motion', 'vue-i18n', 'vee-validate', '@vee-validate/zod', 'element-plus', '@element-plus/icons-vue',
  'lucide-vue-next', ...['16/solid', '20/solid', '24/outline', '24/solid'].map(name => `@heroicons/vue/${name}`),
  '@headlessui/vue', 'vue-echarts', 'vue3-apexcharts', 'naive-ui', 'quasar', 'ant-design-vue', '@ant-design/icons-vue',
  'vuedraggable', 'vue-draggable-plus', 'reka-ui', 'vue-sonner', 'vue-toastification', '@tanstack/vue-query', 'swiper/vue',
  ...folders('primevue').filter(name => name !== 'primevue/editor' && existsSync(`node_modules/${name}/index.mjs`)),
]

const ANGULAR_LIBRARIES = [
  '@angular/animations', '@angular/common', '@angular/common/http', '@angular/compiler',
  '@angular/core', '@angular/core/rxjs-interop', '@angular/forms', '@angular/platform-browser',
  '@angular/platform-browser/animations', '@angular/platform-browser/animations/async',
  '@angular/platform-browser-dynamic', '@angular/router',
  'rxjs', 'rxjs/operators', 'tslib', 'zone.js', ...inside('@angular/cdk'), ...inside('@angular/material'),
  ...inside('primeng').filter(name => !/\/(types|passthrough|ts-helpers)\b/.test(name)), 'ng2-charts', 'ngx-echarts', '@fortawesome/angular-fontawesome', 'lucide-angular', '@ngrx/signals', '@ngrx/store',
  '@primeuix/themes', ...['aura', 'lara', 'material', 'nora'].map(name => `@primeuix/themes/${name}`),
]

const BASIC_LIBRARIES = [
  ...PAGE_MODULES,
  'axios', 'chart.js', 'chart.js/auto', 'classnames', 'clsx', 'd3', 'dayjs', 'jquery', 'lodash',
  'marked', 'mermaid', 'moment', 'uuid',
  'chart.js/helpers', 'chartjs-adapter-date-fns', 'chartjs-adapter-luxon', 'chartjs-adapter-moment',
  'chartjs-plugin-annotation', 'chartjs-plugin-datalabels', 'chartjs-plugin-zoom', 'hammerjs',
  'date-fns', 'date-fns/locale', 'htmx.org', 'leaflet', 'luxon', 'zod', 'zod/v4',
  'three', ...ADDONS.map(name => `three/addons/${name}`), ...beginning('', 'd3-'),
  'echarts', 'echarts/core', 'echarts/charts', 'echarts/components', 'echarts/renderers', 'echarts/features', 'apexcharts',
  'papaparse', 'mathjs', 'lodash-es', 'nanoid', 'katex', 'canvas-confetti', 'dompurify', 'js-yaml', 'file-saver', 'polished',
  'swiper', 'swiper/modules', 'sortablejs', 'mitt', 'vega-datasets',
]

// What is bundled at a time, for all of it takes more memory than small machines have. What the first has made, the
// others import.
const FRAMEWORKS = [REACT_LIBRARIES, REACT_ALONE, VUE_LIBRARIES, ANGULAR_LIBRARIES]
const ofFrameworks = new Set(FRAMEWORKS.flat())
const PIECES = [BASIC_LIBRARIES.filter(name => !ofFrameworks.has(name)), ...FRAMEWORKS].map(names => [...new Set(names)])

// Libraries of mere functions: each piece has those that it uses, and no page loads all of them.
const FUNCTIONS = ['date-fns', 'lodash-es']

// Other names → the modules they mean.
const ALIASES = {
  ...Object.fromEntries(Object.entries(UI).flatMap(([file, names]) => names.map(name => [`ui/${name}`, `ui/${file}`]))),
  ...Object.fromEntries(['hljs', 'prism'].map(name =>
    [`react-syntax-highlighter/dist/cjs/styles/${name}`, `react-syntax-highlighter/dist/esm/styles/${name}`])),
  'vue/dist/vue.esm-bundler.js': 'vue', 'vue/dist/vue.esm-bundler': 'vue',
  'react-beautiful-dnd': '@hello-pangea/dnd', 'react-helmet': 'react-helmet-async',
  '@primevue/themes': '@primeuix/themes', '@primevue/themes/aura': '@primeuix/themes/aura', '@primeng/themes': '@primeuix/themes',
  '@primeng/themes/aura': '@primeuix/themes/aura', 'primeng/themes/aura': '@primeuix/themes/aura',
}

// Packages of which nothing but the bundled modules, styles and fonts are ever asked for, and what only they use.
const BUNDLED_ONLY = [
  '@ant-design', '@chakra-ui', '@element-plus', '@headlessui', '@heroicons', '@mediapipe', '@mui/icons-material', '@nivo',
  '@primeuix', '@rc-component', '@radix-ui', '@react-three', '@reactflow', '@tanstack', 'ant-design-vue', 'antd', 'core-js', 'date-fns-jalali',
  'es-toolkit', 'hls.js', 'lucide-angular', 'lucide-vue-next', 'naive-ui', 'prettier', 'primeng', 'primevue', 'react-aria', 'react-icons',
  'react-stately', 'reka-ui', 'stats-gl', 'three-stdlib', 'victory-vendor',
  '@fortawesome/free-brands-svg-icons', '@fortawesome/free-regular-svg-icons', '@fortawesome/free-solid-svg-icons',
  '@tabler/icons-react', 'element-plus', 'lowlight', 'react-day-picker', 'react-syntax-highlighter', 'refractor', 'rehype-highlight',
  ...beginning('', 'victory'), '@zenuml/core', '@napi-rs',
]

const OPTIONS = {
  bundle: true, format: 'esm', metafile: true, jsx: 'automatic', platform: 'browser', target: 'es2022',
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

// Modules that are none of a package's.
const ENTRIES = {
  ...PAGE_ENTRIES,
  ...Object.fromEntries(Object.entries({
    dynamic: 'dynamic', head: 'Nothing', image: 'Image', link: 'Link', script: 'Nothing',
  }).map(([name, one]) => [`next/${name}`, `export {${one} as default} from './next.jsx'`])),
  ...Object.fromEntries(['navigation', 'router'].map(name => [`next/${name}`, `export * from './next.jsx'`])),
}

// Modules that are more than a package's own.
const EXTENDED = {
  // It has no default, and the package's script for pages is nothing else.
  leaflet: `export * from 'leaflet'; import * as all from 'leaflet'; export default {...all}`,
  // As in the package's own build for pages, all components are known.
  vuetify: `import {createVuetify as create} from 'vuetify'; export * from 'vuetify'
    import * as components from 'vuetify/components'; import * as directives from 'vuetify/directives'
    export const createVuetify = options => create({components, directives, ...options})`,
}

/** What a module in the old style exports; nothing where it needs a page. */
async function evaluate(name, options) {
  try {
    // Bundled, so that it finds the React that it belongs to.
    const {outputFiles: [{text}]} = await build({
      ...options, entryPoints: [name], format: 'cjs', platform: 'node', write: false, metafile: false, plugins: [], logLevel: 'silent',
    })
    const module = {exports: {}}
    new Function('module', 'exports', 'require', text)(module, module.exports, require)
    return module.exports
  } catch {
    return {}
  }
}

const source = name => name.startsWith('ui/') ? `./${name}.jsx` : name
const isName = key => /^[\w$]+$/.test(key) && !/^(default|__esModule)$/.test(key)

// Entries alone, without what they import: that says in which style they are, and whether they have a default.
const readAlone = build => {
  build.onResolve({filter: /.*/}, ({path, kind, resolveDir, pluginData}) => {
    if (pluginData === readAlone) return undefined
    if (kind !== 'entry-point') return {path, external: true}
    return build.resolve(path, {kind: 'import-statement', resolveDir, pluginData: readAlone})
  })
}

/** Of each of some modules: its own file, the source of a module that exports all that it does, and whether and how others can share it. */
async function readEntries(names, options) {
  const points = names.filter(name => !(name in ENTRIES))
  const {metafile} = await build({
    ...options, outdir: 'alone', write: false, plugins: [{name: 'alone', setup: readAlone}],
    entryPoints: points.map(name => ({in: source(name), out: fileName(name)})),
  })
  const entries = Object.fromEntries(names.map(name => [name, {text: ENTRIES[name]}]))
  for (const name of points) {
    const {entryPoint: own, exports} = metafile.outputs[`alone/${fileName(name)}.js`]
    entries[name] = {own, ...await describe(name, metafile.inputs[own].format === 'cjs', exports.includes('default'), options)}
  }
  for (const name in EXTENDED) if (name in entries) entries[name].text = EXTENDED[name]
  return entries
}

async function describe(name, isOld, hasDefault, options) {
  const from = JSON.stringify(source(name))
  if (!isOld) return {isOld, hasDefault, isShared: true, text: `export * from ${from};${hasDefault ? `export {default} from ${from}` : ''}`}
  // Modules in the old style name nothing in advance: their names are found by running them.
  const found = await evaluate(name, options)
  const names = Object.keys(found).filter(isName)
  return {
    // What says that it is in the new style has a default of its own, from which it can't be had again.
    isOld, isShared: !found.__esModule && (typeof found === 'function' || names.length > 0),
    text: `import * as all from ${from}; export default all.default; export const {${names.join()}} = all`,
  }
}

// Angular's packages come half compiled. The rest is done here, once, and not in each page.
const compileAngular = async build => {
  // Only now, for they are large.
  const [{transformAsync}, {ConsoleLogger, LogLevel, NodeJSFileSystem}, {createEs2015LinkerPlugin}] =
    await Promise.all(['@babel/core', '@angular/compiler-cli', '@angular/compiler-cli/linker/babel'].map(name => import(name)))
  const linker = createEs2015LinkerPlugin({
    fileSystem: new NodeJSFileSystem(), logger: new ConsoleLogger(LogLevel.warn), linkerJitMode: true, sourceMapping: false,
  })
  build.onLoad({filter: /\.mjs$/}, async ({path}) => {
    const code = await readFile(path, 'utf8')
    if (!code.includes('ɵɵngDeclare')) return {contents: code}
    const linked = await transformAsync(code, {
      filename: path, plugins: [linker], compact: false, babelrc: false, configFile: false,
    })
    return {contents: linked.code}
  })
}

// What imports React gets the file that the page has; what requires it, the same.
const IS_REACT = new RegExp(`^(${REACT.join('|')})$`)
const shareReact = build => {
  build.onResolve({filter: IS_REACT}, ({path, kind, namespace}) => kind === 'require-call' && namespace !== 'shared'
    ? {path, namespace: 'shared'} : {path: `./${fileName(path)}.js`, external: true})
  build.onLoad({filter: /.*/, namespace: 'shared'}, ({path}) => ({contents: `export * from '${path}'; export {default} from '${path}'`}))
}

// The same for what an earlier piece has made, if it is of the same release: `made` has it by the package's own files.
const shareMade = made => build => {
  const names = [...made.values()].map(one => one.name.replace(/[.*+?^$|(){}[\]\\]/g, '\\$&'))
  build.onResolve({filter: new RegExp(`^(${names.join('|')})$`)}, async ({path, kind, importer, namespace, resolveDir, pluginData}) => {
    if (kind === 'entry-point' || pluginData === made) return undefined
    const found = await build.resolve(path, {kind, importer, namespace, resolveDir, pluginData: made})
    const one = made.get(found.path)
    if (!one) return undefined
    const {path: own, sideEffects} = found
    return {sideEffects, ...one.isOld || kind === 'require-call' ? {path: own, namespace: 'made'} : {path: one.file, external: true}}
  })
  build.onLoad({filter: /.*/, namespace: 'made'}, ({path}) => {
    const one = made.get(path)
    return {contents: one.isOld ? `module.exports = require('file:${path}').default` : allOf(one)}
  })
  build.onResolve({filter: /^file:/, namespace: 'made'}, ({path}) => ({path: path.slice(5), namespace: 'file of made'}))
  build.onResolve({filter: /^\.\//, namespace: 'made'}, ({path}) => ({path, external: true}))
  build.onResolve({filter: /^\.\//, namespace: 'file of made'}, ({path}) => ({path, external: true}))
  build.onLoad({filter: /.*/, namespace: 'file of made'}, ({path}) => ({contents: allOf({...made.get(path), hasDefault: true})}))
}
const allOf = ({file, hasDefault}) => `export * from '${file}';${hasDefault ? `export {default} from '${file}'` : ''}`

/** Bundles modules into a folder, in a process of esbuild's of their own, which gives its memory back: each one's entry, file, and what it exports. */
async function bundle(names, outdir, {alias = {}, plugins = []}) {
  const options = {...OPTIONS, alias: {...OPTIONS.alias, ...alias}}
  const entries = await readEntries(names, options)
  await stop()
  const {metafile} = await build({
    ...options, outdir, splitting: true, legalComments: 'none', minifySyntax: true, minifyWhitespace: true,
    entryPoints: names.map(name => ({in: `entry:${name}`, out: fileName(name)})),
    plugins: [{name: 'entries', async setup(build) {
      build.onResolve({filter: /^entry:/}, ({path}) => ({path: path.slice(6), namespace: 'entry'}))
      build.onLoad({filter: /.*/, namespace: 'entry'}, ({path}) => ({contents: entries[path].text, resolveDir: '.'}))
      for (const one of plugins) await one(build)
    }}],
  })
  await stop()
  return names.map(name => {
    const file = `${fileName(name)}.js`
    return {name, ...entries[name], file, names: metafile.outputs[`${outdir}/${file}`].exports}
  })
}

/** Copies icons, which are a function each in files of megabytes: to read them as code takes gigabytes. */
async function copyIcons() {
  const modules = folders('react-icons').map(name => ({name, file: `${fileName(name)}.js`}))
  for (const one of modules) {
    const code = await readFile(`node_modules/${one.name}/index.mjs`, 'utf8')
    const [start, ...others] = code.match(/\bimport\b.*/g)
    if (start !== "import { GenIcon } from '../lib/index.mjs';" || others.length) throw new Error(`${one.name} imports something else`)
    one.names = [...code.matchAll(/^export function (\w+)/gm)].map(([, name]) => name).sort()
    await writeFile(`vendor/${one.file}`, code.replace('../lib/index.mjs', './react-icons.js'))
  }
  return modules
}

const made = await bundle(REACT, 'vendor', {alias: {'react-is': 'react-is-18'}})
const shared = new Map()
for (const piece of PIECES) {
  const plugins = [shareReact, ...shared.size ? [shareMade(shared)] : [], ...piece.includes('@angular/core') ? [compileAngular] : []]
  const modules = await bundle(piece, 'vendor', {plugins})
  made.push(...modules)
  if (!shared.size) {
    for (const one of modules) if (one.isShared && !FUNCTIONS.includes(one.name)) shared.set(resolve(one.own), {...one, file: `./${one.file}`})
  }
}
made.push(...await copyIcons())
await bundle(REACT, 'vendor/19', {alias: {react: 'react-19', 'react-dom': 'react-dom-19', 'react-is': 'react-is-19'}})
const modules = made.map(({name, file, names}) => [name, {file, names}])
const byName = Object.fromEntries(modules)
modules.push(...Object.entries(ALIASES).map(([name, one]) => [name, byName[one]]))
// The names that add-ons had before, and all of them without their ending.
for (const [name, module] of [...modules]) {
  const names = [name, name.replace(/^three\/addons/, 'three/examples/jsm')]
  if (name.startsWith('three/')) modules.push(...names.flatMap(one => [[one, module], [one.replace(/\.js$/, ''), module]]))
}
await writeFile('vendor/modules.json', JSON.stringify(Object.fromEntries(modules)))
removeUnused(BUNDLED_ONLY)
