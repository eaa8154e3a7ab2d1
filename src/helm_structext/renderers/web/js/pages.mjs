// What pages import beside the libraries of components (`bundle.mjs`), and what nobody asks for.

import {readdirSync, statSync} from 'node:fs'
import {rm} from 'node:fs/promises'
import {createRequire} from 'node:module'

const require = createRequire(import.meta.url)
const within = (name, ...files) => files.map(file => `${name}/${file}`)

const DIRECTIVES = within('lit/directives', 'cache.js', 'choose.js', 'class-map.js', 'guard.js', 'if-defined.js', 'join.js',
  'keyed.js', 'live.js', 'map.js', 'range.js', 'ref.js', 'repeat.js', 'style-map.js', 'unsafe-html.js', 'unsafe-svg.js',
  'until.js', 'when.js')

// Modules that are more than a package's own.
export const PAGE_ENTRIES = {
  'lit/all': ['lit', 'lit/decorators.js', ...DIRECTIVES].map(name => `export * from '${name}'`).join('\n'),
}

export const PAGE_MODULES = [
  'preact', ...within('preact', 'hooks', 'compat', 'jsx-runtime'), '@preact/signals', '@preact/signals-core',
  'htm', 'htm/preact', 'lit', ...within('lit', 'decorators.js', 'html.js', 'static-html.js'), 'lit-html', 'lit-element',
  ...DIRECTIVES, ...Object.keys(PAGE_ENTRIES),
  'solid-js', ...within('solid-js', 'h', 'html', 'store', 'web'), 'petite-vue', 'vanjs-core', 'alpinejs',
  ...within('@alpinejs', 'anchor', 'collapse', 'focus', 'intersect', 'mask', 'persist'),
  'gsap', ...within('gsap', 'all', 'CustomEase', 'Draggable', 'DrawSVGPlugin', 'Flip', 'MorphSVGPlugin', 'MotionPathPlugin',
    'Observer', 'ScrollToPlugin', 'ScrollTrigger', 'SplitText', 'TextPlugin'),
  'animejs', 'motion', 'lenis', 'countup.js', 'typed.js', '@tweenjs/tween.js', 'canvas-confetti', 'lottie-web',
  'p5', 'pixi.js', 'konva', 'fabric', 'paper', 'two.js', 'zdog', 'roughjs', 'rough-notation', 'matter-js', 'cannon-es', 'planck',
  'lil-gui', 'dat.gui', 'stats.js', 'tweakpane', 'gl-matrix', 'simplex-noise', 'simplex-noise-2', 'seedrandom', 'chroma-js',
  'tone', 'howler', 'wavesurfer.js', 'abcjs', 'vexflow',
  ...Object.keys(require('./node_modules/d3/package.json').dependencies), 'd3-sankey', 'd3-cloud', 'd3-hexbin', 'topojson-client',
  'plotly.js-dist-min', 'vega', 'vega-lite', 'vega-embed', 'echarts', 'apexcharts', 'uplot', 'lightweight-charts', 'chartist',
  'cytoscape', 'vis-network/standalone', 'vis-data', '@viz-js/viz', 'dagre',
  'markdown-it', 'showdown', 'highlight.js', 'highlight.js/lib/core', 'highlight.js/lib/common',
  ...within('highlight.js/lib/languages', 'bash', 'css', 'javascript', 'json', 'python', 'sql', 'typescript', 'xml', 'yaml'),
  'prismjs', 'katex', 'dompurify', 'mustache', 'handlebars', 'codemirror-5', 'quill', 'easymde', 'reveal.js',
  'swiper', ...within('swiper', 'bundle', 'modules'), '@splidejs/splide', 'sweetalert2', 'sortablejs', 'flatpickr', 'tippy.js',
  '@floating-ui/dom', 'nouislider', 'choices.js', 'toastify-js', 'glightbox', 'vanilla-tilt', 'aos', 'scrollreveal',
  'lucide', 'feather-icons', 'lodash-es', 'underscore', 'immer', 'nanoid', 'fuse.js', 'papaparse', 'jszip', 'file-saver',
  'html2canvas', 'jspdf', 'jsbarcode', 'mathjs', 'splitting', 'photoswipe', 'localforage', 'js-cookie', 'numeral', 'crypto-js',
  'simple-statistics', 'interactjs', 'notyf', 'twgl.js', 'js-yaml', 'turndown', 'diff', '@hotwired/stimulus', 'big.js', 'bignumber.js',
  'decimal.js', 'xlsx', 'regl', 'ogl', 'keen-slider', 'embla-carousel', '@formkit/auto-animate', 'delaunator',
]

// Files of packages that no page asks for: other builds, sources, types, documents.
const UNUSED = new RegExp(`^(${[
  '@angular/common/locales/', '@tabler/icons-webfont/node_modules/', 'caniuse-lite/data/(features|regions)/',
  'date-fns/(?!package|cdn|locale/([^/]+/)?cdn)', '@mui/(?!material/(umd/|package))', '@stencil/', 'canvas/', 'es-toolkit/', 'jsdom/', '@tabler/icons/', 'core-js/', 'standardized-audio-context/', 'sass-embedded',
  '(@[^/]+/)?[^/]+/(\\.github|docs|test|tests)/', '@fontsource[^/]*/[^/]+/(scss|LICENSE|README|CHANGELOG|metadata|unicode)',
  '@fontsource-variable/[^/]+/(files/.*-)?(soft|wonk|standard)',
  '@phosphor-icons/web/.*selection\\.json', '@tabler/icons-webfont/.*\\.(html|scss)',
  'boxicons/(node_modules|svg|src|iconjar)/', 'cannon/(images|libs|tools|demos)/', 'codemirror-5/src/',
  'devicon/(?!devicon|package|fonts/|icons/.*\\.svg)', 'echarts/(lib|types|ssr|theme/tool|dist/echarts\\.(common|simple|esm)[^/]*\\.m?js)',
  'fabric[^/]*/(src|dist/src|dist-extensions)/', 'fomantic-ui-css/(components|types)/', 'foundation-sites/(js|scss|customizer)/',
  'ionicons/(dist/(cheatsheet|collection|svg|types|esm-es5|esm/|cjs/|.*symbols)|icons|components)',
  'jsxgraph/(src|examples|distrib/docs)', 'line-awesome/svg/', 'lottie-web/(player|demo|docs)/', 'lucide(-react)?/dist/(esm|cjs)/',
  'mathjs/(lib/(esm|cjs)|types)/', 'motion/node_modules/', 'phaser/(types|plugins|src)/', 'phaser/dist/phaser-',
  'pixi\\.js/(lib|transcoders)/', '@pixi/', 'remixicon/icons/', 'sql\\.js/(dist/(.*debug|.*\\.zip|.*asm-memory)|\\.devcontainer)',
  'rxjs/(src|dist/(cjs|esm5|types))/', 'three-global/(src|examples/jsm)/', 'vuetify-2/(es5|lib|src)/',
  'tailwindcss-2/(?!dist/tailwind\\.|package)', 'vega[^/]*/(src|build/src|build-es5|node_modules)/', 'vexflow/(build/(esm|cjs|types)|src)/',
  'vis-(network|data|util)/(peer|esnext|declarations|dist/types|docs|examples)',
].join('|')})`)
// Types, and texts for people. The compiler reads TypeScript's own sources.
const FOR_PEOPLE = /\.(flow|md|d\.[cm]?ts)$|^(?!typescript\/).*\.[cm]?ts$/
const FONT = /\.(eot|svg|ttf|woff)$/
// What pages still ask for of packages that are bundled.
const IS_ASKED_FOR = /(\.(css|woff2?|ttf|png|gif)|\.min\.js|\/package\.json)$/

/** Removes what is of no use, files of packages that only their bundled modules are asked for, and other formats of the fonts that there are as WOFF2. */
export async function removeUnused(bundledOnly) {
  const ofBundled = file => bundledOnly.some(name => file.startsWith(`${name}/`))
  for (const one of readdirSync('node_modules', {recursive: true, withFileTypes: true})) {
    if (!one.isFile()) continue
    const path = `${one.parentPath ?? one.path}/${one.name}`
    const file = path.slice('node_modules/'.length)
    const font = FONT.test(file) && statSync(path.replace(FONT, '.woff2'), {throwIfNoEntry: false})
    if (font || UNUSED.test(file) || FOR_PEOPLE.test(file) || (ofBundled(file) && !IS_ASKED_FOR.test(file))) await rm(path)
  }
}
