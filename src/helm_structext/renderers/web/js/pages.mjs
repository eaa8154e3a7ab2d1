// What pages import beside the libraries of components (`bundle.mjs`).

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
