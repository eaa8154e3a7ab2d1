"""Pages and components that use the local packages in the ways in which models write them.

Each kind of link is there: script tags of jsDelivr, unpkg, cdnjs and a library's own site, import
maps, modules of esm.sh, and imports of components.
"""

from support.pages import CRIMSON, GOLD, TEAL, Right

JSDELIVR, UNPKG = "https://cdn.jsdelivr.net/npm/", "https://unpkg.com/"
CDNJS, ESM = "https://cdnjs.cloudflare.com/ajax/libs/", "https://esm.sh/"
CHART, CHART_2 = f"{JSDELIVR}chart.js", f"{CDNJS}Chart.js/2.9.4/Chart.min.js"
OPTIONS = "responsive: false, animation: false"


def scripts(*addresses: str) -> str:
    return "".join(f'<script src="{address}"></script>' for address in addresses)


def chart(addresses: list[str], made: str, before: str = "") -> str:
    """A page with a chart."""
    return (
        "<!DOCTYPE html><html><body><canvas id='c' width='600' height='400'></canvas>"
        f"{scripts(*addresses)}<script>{before};new Chart(document.getElementById('c'), {made})"
        "</script></body></html>"
    )


def bars(options: str, plugins: str = "") -> str:
    """A bar chart with few, large numbers."""
    return (
        "{type: 'bar', data: {labels: ['A', 'B'], datasets: [{data: [12, 19], "
        f"backgroundColor: 'gold'}}]}}, plugins: [{plugins}], options: {{{OPTIONS}, {options}}}}}"
    )


def timeline(date: str, options: str = "") -> str:
    """A line over time; without an adapter for dates, Chart.js throws."""
    return (
        f"{{type: 'line', data: {{datasets: [{{borderColor: 'teal', borderWidth: 8, data: [{{x: {date}, "
        "y: 3}, {x: '2024-03-01', y: 9}]}]}, options: {" + OPTIONS + ", scales: {x: {type: 'time', "
        f"time: {{unit: 'month'}}}}}}, {options}}}}}"
    )


LABELS = "plugins: {datalabels: {color: 'crimson', font: {size: 60, weight: 'bold'}}}"
LINE = (
    "plugins: {annotation: {annotations: {line: {type: 'line', yMin: 10, yMax: 10, "
    "borderColor: 'crimson', borderWidth: 9}}}}"
)
ZOOM = "plugins: {zoom: {zoom: {wheel: {enabled: true}, mode: 'x'}, pan: {enabled: true}}}"

CHARTS = {
    "data labels": Right(
        chart([CHART, f"{JSDELIVR}chartjs-plugin-datalabels"], bars(LABELS, "ChartDataLabels")),
        (),
        CRIMSON,
    ),
    "data labels, registered": Right(
        chart(
            [
                f"{JSDELIVR}chart.js@4.4.0/dist/chart.umd.min.js",
                f"{JSDELIVR}chartjs-plugin-datalabels@2.2.0/dist/chartjs-plugin-datalabels.min.js",
            ],
            bars(LABELS),
            "Chart.register(ChartDataLabels)",
        ),
        (),
        CRIMSON,
    ),
    "data labels of cdnjs, formatted": Right(
        chart(
            [
                f"{CDNJS}Chart.js/3.9.1/chart.min.js",
                f"{CDNJS}chartjs-plugin-datalabels/2.0.0/chartjs-plugin-datalabels.min.js",
            ],
            bars(
                LABELS.replace("color", "formatter: (value) => value + '%', color"),
                "ChartDataLabels",
            ),
        ),
        (),
        CRIMSON,
    ),
    "data labels of Chart.js 2": Right(
        chart(
            [CHART_2, f"{JSDELIVR}chartjs-plugin-datalabels@0.7.0"],
            bars(f"{LABELS}, scales: {{yAxes: [{{ticks: {{beginAtZero: true}}}}]}}"),
        ),
        (),
        CRIMSON,
    ),
    "time with date-fns": Right(
        chart(
            [
                CHART,
                f"{JSDELIVR}chartjs-adapter-date-fns/dist/chartjs-adapter-date-fns.bundle.min.js",
            ],
            timeline("'2024-01-01'"),
        ),
        (),
        TEAL,
    ),
    "time with date-fns of unpkg": Right(
        chart(
            [f"{UNPKG}chart.js@4", f"{UNPKG}chartjs-adapter-date-fns@3"], timeline("'2024-01-01'")
        ),
        (),
        TEAL,
    ),
    "time with luxon": Right(
        chart(
            [CHART, f"{JSDELIVR}luxon@3.4.4", f"{JSDELIVR}chartjs-adapter-luxon@1.3.1"],
            timeline("luxon.DateTime.fromISO('2024-01-01')"),
        ),
        (),
        TEAL,
    ),
    "time with luxon of cdnjs": Right(
        chart(
            [
                f"{CDNJS}Chart.js/4.4.1/chart.umd.min.js",
                f"{CDNJS}luxon/3.4.4/luxon.min.js",
                f"{CDNJS}chartjs-adapter-luxon/1.3.1/chartjs-adapter-luxon.umd.min.js",
            ],
            timeline("'2024-01-01'"),
        ),
        (),
        TEAL,
    ),
    "time with moment": Right(
        chart(
            [
                CHART,
                f"{CDNJS}moment.js/2.29.4/moment.min.js",
                f"{JSDELIVR}chartjs-adapter-moment@1.0.1",
            ],
            timeline("moment('2024-01-01')"),
        ),
        (),
        TEAL,
    ),
    "annotation": Right(
        chart([CHART, f"{JSDELIVR}chartjs-plugin-annotation@3.0.1"], bars(LINE)), (), CRIMSON
    ),
    "annotation of cdnjs": Right(
        chart(
            [
                f"{CDNJS}Chart.js/4.4.1/chart.umd.js",
                f"{CDNJS}chartjs-plugin-annotation/3.0.1/chartjs-plugin-annotation.min.js",
            ],
            bars(LINE),
        ),
        (),
        CRIMSON,
    ),
    "zoom with hammer": Right(
        chart(
            [
                CHART,
                f"{JSDELIVR}hammerjs@2.0.8",
                f"{JSDELIVR}chartjs-plugin-zoom@2.0.1/dist/chartjs-plugin-zoom.min.js",
            ],
            bars(ZOOM),
            "document.body.append(typeof Chart.registry.plugins.get('zoom').start)",
        ),
        ("function",),
        GOLD,
    ),
    "modules of esm.sh": Right(
        "<canvas id=c width=500 height=300></canvas><script type=module>"
        f"import Chart from '{ESM}chart.js@4/auto'; "
        f"import Labels from '{ESM}chartjs-plugin-datalabels@2'; "
        f"Chart.register(Labels); new Chart(c, {bars(LABELS)})</script>",
        (),
        CRIMSON,
    ),
}

SCENE = """
const scene = new THREE.Scene(); scene.background = new THREE.Color(0xffd700);
const camera = new THREE.PerspectiveCamera(75, innerWidth / innerHeight, 0.1, 1000); camera.position.z = 5;
const renderer = new THREE.WebGLRenderer({antialias: true}); renderer.setSize(innerWidth, innerHeight);
document.body.appendChild(renderer.domElement);
const cube = new THREE.Mesh(new THREE.BoxGeometry(3, 3, 3), new THREE.MeshBasicMaterial({color: 0x008080}));
scene.add(cube);
function animate() { requestAnimationFrame(animate); cube.rotation.x += 0.01; renderer.render(scene, camera) }
animate();"""
LIGHTS = """
scene.add(new THREE.AmbientLight(0xffffff, 0.5)); const sun = new THREE.DirectionalLight(0xffffff, 1);
sun.position.set(5, 5, 5); scene.add(sun);
scene.add(new THREE.Mesh(new THREE.SphereGeometry(1), new THREE.MeshStandardMaterial({color: 0xff0000})));"""
CONTROLS = "new {}OrbitControls(camera, renderer.domElement).update();"


def importmap(scripts: str, **imports: str) -> str:
    """A page with an import map and a module."""
    listed = ", ".join(f'"{name.replace("__", "/")}": "{url}"' for name, url in imports.items())
    return (
        f'<!DOCTYPE html><body style="margin:0"><script type="importmap">{{"imports": {{{listed}}}}}'
        f'</script><script type="module">{scripts}</script></body>'
    )


THREE = {
    "script of cdnjs": Right(
        f"<body style='margin:0'>{scripts(f'{CDNJS}three.js/r128/three.min.js')}<script>{SCENE}</script>",
        (),
        TEAL,
    ),
    "script and controls of jsDelivr": Right(
        "<body style='margin:0'>"
        + scripts(
            f"{JSDELIVR}three@0.128.0/build/three.min.js",
            f"{JSDELIVR}three@0.128.0/examples/js/controls/OrbitControls.js",
        )
        + f"<script>{SCENE}{LIGHTS}{CONTROLS.format('THREE.')}</script>",
        (),
        TEAL,
    ),
    "script of its own site": Right(
        f"<body style='margin:0'>{scripts('https://threejs.org/build/three.js')}<script>{SCENE}</script>",
        (),
        TEAL,
    ),
    "import map of unpkg": Right(
        importmap(
            "import * as THREE from 'three'; import { OrbitControls } from "
            f"'three/addons/controls/OrbitControls.js';{SCENE}{CONTROLS.format('')}",
            three=f"{UNPKG}three@0.160.0/build/three.module.js",
            three__addons__=f"{UNPKG}three@0.160.0/examples/jsm/",
        ),
        (),
        TEAL,
    ),
    "import map of jsDelivr": Right(
        importmap(
            "import * as THREE from 'three'; import { FontLoader } from "
            f"'three/addons/loaders/FontLoader.js';{SCENE}{LIGHTS}document.title = FontLoader.name",
            three=f"{JSDELIVR}three@0.170.0/build/three.module.min.js",
            three__addons__=f"{JSDELIVR}three@0.170.0/examples/jsm/",
        ),
        (),
        TEAL,
    ),
    "modules of esm.sh": Right(
        f"<body style='margin:0'><script type=module>import * as THREE from '{ESM}three@0.150';"
        f"import {{ OrbitControls }} from '{ESM}three@0.150/examples/jsm/controls/OrbitControls.js';"
        f"{SCENE}{CONTROLS.format('')}</script>",
        (),
        TEAL,
    ),
    "modules of Skypack": Right(
        "<body style='margin:0'><script type=module>import * as THREE from "
        f"'https://cdn.skypack.dev/three@0.136.0';{SCENE}</script>",
        (),
        TEAL,
    ),
}

MAP = (
    "const map = L.map('map').setView([51.505, -0.09], 13);"
    "L.tileLayer('https://tile.openstreetmap.org/{z}/{x}/{y}.png', {attribution: 'OpenStreetMap'}).addTo(map);"
    "L.circle([51.508, -0.11], {color: 'teal', fillColor: 'teal', fillOpacity: 1, radius: 800}).addTo(map);"
    "L.marker([51.5, -0.09]).addTo(map).bindPopup('Here it is').openPopup();"
)
PAGES = {
    "leaflet of unpkg": Right(
        f'<link rel="stylesheet" href="{UNPKG}leaflet@1.9.4/dist/leaflet.css" integrity="sha256-x">'
        f'<div id="map" style="height: 400px"></div>{scripts(f"{UNPKG}leaflet@1.9.4/dist/leaflet.js")}'
        f"<script>{MAP}</script>",
        ("Here it is", "OpenStreetMap"),
        TEAL,
    ),
    "leaflet of cdnjs": Right(
        f'<link rel="stylesheet" href="{CDNJS}leaflet/1.7.1/leaflet.css">'
        f'<div id="map" style="height: 400px"></div>{scripts(f"{CDNJS}leaflet/1.7.1/leaflet.min.js")}'
        f"<script>{MAP}</script>",
        ("Here it is",),
        TEAL,
    ),
    "htmx of unpkg": Right(
        f"{scripts(f'{UNPKG}htmx.org@1.9.10')}<button hx-post='/clicked' hx-swap='outerHTML'>Click</button>"
        "<p style='background:gold'></p><script>document.querySelector('p').append(typeof htmx.ajax)</script>",
        ("Click", "function"),
        GOLD,
    ),
    "htmx of jsDelivr and cdnjs": Right(
        scripts(f"{JSDELIVR}htmx.org@2.0.4/dist/htmx.min.js", f"{CDNJS}htmx/1.9.12/htmx.min.js")
        + "<div hx-get='/news' hx-trigger='click' style='background:teal'>Loading news</div>",
        ("Loading news",),
        TEAL,
    ),
    "luxon": Right(
        scripts(f"{JSDELIVR}luxon@3/build/global/luxon.min.js")
        + "<h1 style='background:gold'></h1><script>document.querySelector('h1').textContent = "
        "luxon.DateTime.fromISO('2024-02-29').plus({years: 1}).toFormat('dd LLL yyyy')</script>",
        ("28 Feb 2025",),
        GOLD,
    ),
    "date-fns": Right(
        scripts(f"{JSDELIVR}date-fns@3.6.0/cdn.min.js")
        + "<p style='background:gold'></p><script>document.querySelector('p').textContent = "
        "dateFns.format(new Date(2024, 1, 29), 'd MMMM')</script>",
        ("29 February",),
        GOLD,
    ),
    "Material UI with Babel": Right(
        scripts(
            f"{UNPKG}react@18/umd/react.development.js",
            f"{UNPKG}react-dom@18/umd/react-dom.development.js",
            f"{UNPKG}@mui/material@latest/umd/material-ui.development.js",
            f"{UNPKG}@babel/standalone@latest/babel.min.js",
        )
        + "<div id=root></div><script type='text/babel'>const { Button, Card, Typography } = MaterialUI;"
        "ReactDOM.createRoot(document.getElementById('root')).render(<Card sx={{background: 'gold'}}>"
        "<Typography variant='h4'>Card</Typography><Button variant='contained'>Go</Button></Card>)</script>",
        ("Card", "GO"),
        GOLD,
    ),
    "Redux with React and Babel": Right(
        scripts(
            f"{UNPKG}react@18/umd/react.production.min.js",
            f"{UNPKG}react-dom@18/umd/react-dom.production.min.js",
            f"{CDNJS}redux/4.2.1/redux.min.js",
            f"{CDNJS}react-redux/8.1.3/react-redux.min.js",
            f"{UNPKG}@babel/standalone/babel.min.js",
        )
        + "<div id=root></div><script type='text/babel'>const store = Redux.createStore((state = {n: 41}, action) => "
        "action.type === 'add' ? {n: state.n + 1} : state); store.dispatch({type: 'add'});"
        "const App = () => <h1 style={{background: 'teal'}}>{ReactRedux.useSelector(state => state.n)}</h1>;"
        "ReactDOM.createRoot(root).render(<ReactRedux.Provider store={store}><App/></ReactRedux.Provider>)</script>",
        ("42",),
        TEAL,
    ),
    "Redux Toolkit": Right(
        scripts(f"{UNPKG}@reduxjs/toolkit@1.9.7/dist/redux-toolkit.umd.min.js")
        + "<p style='background:gold'></p><script>const slice = RTK.createSlice({name: 'a', initialState: 1, reducers: "
        "{add: state => state + 1}}); const store = RTK.configureStore({reducer: slice.reducer}); "
        "store.dispatch(slice.actions.add()); document.querySelector('p').textContent = 'n=' + store.getState()</script>",
        ("n=2",),
        GOLD,
    ),
    "Vuetify 3": Right(
        f"<link href='{JSDELIVR}vuetify@3.5.2/dist/vuetify.min.css' rel=stylesheet>"
        f"<link href='{JSDELIVR}@mdi/font@7.x/css/materialdesignicons.min.css' rel=stylesheet>"
        "<div id=app><v-app><v-main><v-btn color='#008080' prepend-icon='mdi-home'>{{ text }}</v-btn></v-main></v-app></div>"
        + scripts(
            f"{UNPKG}vue@3/dist/vue.global.js", f"{JSDELIVR}vuetify@3.5.2/dist/vuetify.min.js"
        )
        + "<script>Vue.createApp({data: () => ({text: 'Press'})}).use(Vuetify.createVuetify()).mount('#app')</script>",
        ("PRESS",),
        TEAL,
    ),
    "Vuetify 2": Right(
        f"<link href='{JSDELIVR}vuetify@2.x/dist/vuetify.min.css' rel=stylesheet>"
        "<div id=app><v-app><v-main><v-card color='#ffd700' class='pa-4'>{{ text }}</v-card></v-main></v-app></div>"
        + scripts(f"{JSDELIVR}vue@2.x/dist/vue.js", f"{JSDELIVR}vuetify@2.x/dist/vuetify.js")
        + "<script>new Vue({el: '#app', vuetify: new Vuetify(), data: {text: 'Second'}})</script>",
        ("Second",),
        GOLD,
    ),
    "Vuetify by an import map": Right(
        f"<link href='{JSDELIVR}vuetify@3/dist/vuetify.min.css' rel=stylesheet><div id=app><v-app><v-chip "
        "color='#008080' variant='flat'>Mapped</v-chip></v-app></div>"
        + importmap(
            "import { createApp } from 'vue'; import { createVuetify } from 'vuetify';"
            "createApp({}).use(createVuetify()).mount('#app')",
            vue=f"{JSDELIVR}vue@3/dist/vue.esm-browser.js",
            vuetify=f"{JSDELIVR}vuetify@3/dist/vuetify.esm.js",
        ),
        ("Mapped",),
        TEAL,
    ),
    "Vue Router and Pinia": Right(
        "<div id=app><router-link to='/'>Home</router-link><router-view></router-view></div>"
        + scripts(
            f"{UNPKG}vue@3",
            f"{UNPKG}vue-router@4",
            f"{UNPKG}vue-demi",
            f"{UNPKG}pinia@2/dist/pinia.iife.js",
        )
        + "<script>const Home = {template: '<h1 style=\"background:gold\">{{ s.n }} routes</h1>', setup: () => "
        "({s: Pinia.defineStore('s', {state: () => ({n: 3})})()})};"
        "const router = VueRouter.createRouter({history: VueRouter.createWebHashHistory(), routes: "
        "[{path: '/', component: Home}]}); Vue.createApp({}).use(Pinia.createPinia()).use(router).mount('#app')</script>",
        ("Home", "3 routes"),
        GOLD,
    ),
}

REACT = {
    "data labels": Right(
        "import { Bar } from 'react-chartjs-2';\nimport { Chart as ChartJS, CategoryScale, LinearScale, BarElement } "
        "from 'chart.js';\nimport ChartDataLabels from 'chartjs-plugin-datalabels';\n"
        "ChartJS.register(CategoryScale, LinearScale, BarElement, ChartDataLabels);\n"
        "export default () => <div style={{width: 600}}><Bar data={{labels: ['A', 'B'], datasets: [{data: [12, 19], "
        "backgroundColor: 'gold'}]}} options={{animation: false, plugins: {datalabels: {color: 'crimson', font: "
        "{size: 60}}}}} /></div>",
        (),
        CRIMSON,
    ),
    "time with date-fns": Right(
        "import { Line } from 'react-chartjs-2';\nimport 'chart.js/auto';\nimport 'chartjs-adapter-date-fns';\n"
        "import { enUS } from 'date-fns/locale';\nexport default () => <Line data={{datasets: [{borderColor: 'teal', "
        "borderWidth: 8, data: [{x: '2024-01-01', y: 3}, {x: '2024-02-01', y: 5}]}]}} options={{animation: false, "
        "scales: {x: {type: 'time', adapters: {date: {locale: enUS}}}}}} />",
        (),
        TEAL,
    ),
    "annotation and zoom": Right(
        "import { Line } from 'react-chartjs-2';\nimport { Chart, registerables } from 'chart.js';\n"
        "import annotationPlugin from 'chartjs-plugin-annotation';\nimport zoomPlugin from 'chartjs-plugin-zoom';\n"
        "Chart.register(...registerables, annotationPlugin, zoomPlugin);\n"
        "export default function App() { return <Line data={{labels: [1, 2], datasets: [{data: [8, 12]}]}} options={{"
        f"animation: false, {LINE}}}}} /> }}",
        (),
        CRIMSON,
    ),
    "luxon and its adapter": Right(
        "import { DateTime } from 'luxon';\nimport 'chartjs-adapter-luxon';\nimport 'chart.js/auto';\n"
        "import { Line } from 'react-chartjs-2';\nexport default () => <><h2>{DateTime.fromISO('2024-05-06')"
        ".toFormat('cccc')}</h2><Line data={{datasets: [{borderColor: 'teal', borderWidth: 8, data: "
        "[{x: '2024-01-01', y: 3}, {x: '2024-02-01', y: 5}]}]}} options={{animation: false, scales: "
        "{x: {type: 'time'}}}} /></>",
        ("Monday",),
        TEAL,
    ),
    "date-fns": Right(
        "import { format, addDays, parseISO } from 'date-fns';\nimport isWeekend from 'date-fns/isWeekend';\n"
        "const day = addDays(parseISO('2024-02-28'), 2);\nexport default () => <p style={{background: 'gold'}}>"
        "{format(day, 'EEEE d MMM')} {String(isWeekend(day))}</p>",
        ("Friday 1 Mar false",),
        GOLD,
    ),
    "Material UI": Right(
        "import React, { useState } from 'react';\nimport { AppBar, Toolbar, Typography, Container, Grid, Card, "
        "CardContent, Button, TextField, Table, TableBody, TableRow, TableCell } from '@mui/material';\n"
        "import { ThemeProvider, createTheme } from '@mui/material/styles';\n"
        "const theme = createTheme({ palette: { primary: { main: '#008080' } } });\n"
        "export default function App() { const [name] = useState('Ada'); return <ThemeProvider theme={theme}>"
        "<AppBar position='static'><Toolbar><Typography variant='h6'>Dashboard</Typography></Toolbar></AppBar>"
        "<Container><Grid container spacing={2}>{['One', 'Two'].map(title => <Grid item xs={6} key={title}><Card>"
        "<CardContent>{title}</CardContent></Card></Grid>)}</Grid><TextField label='Name' value={name} />"
        "<Button variant='contained'>Save</Button></Container></ThemeProvider> }",
        ("Dashboard", "One", "Two", "SAVE"),
        TEAL,
    ),
    "Material UI by its paths": Right(
        "import * as React from 'react';\nimport Box from '@mui/material/Box';\nimport Button, { buttonClasses } from "
        "'@mui/material/Button';\nimport { deepPurple } from '@mui/material/colors';\nimport { styled } from "
        "'@mui/material/styles';\nimport DeleteIcon from '@mui/icons-material/Delete';\n"
        "const Gold = styled(Box)({background: 'gold', padding: 8});\n"
        "export default function App() { return <Gold><Button startIcon={<DeleteIcon />} sx={{color: "
        "deepPurple[500]}}>Delete {buttonClasses.root}</Button></Gold> }",
        ("DELETE MUIBUTTON-ROOT",),
        GOLD,
    ),
    "icons of Material UI": Right(
        "import { Home, Settings as SettingsIcon } from '@mui/icons-material';\nimport FavoriteIcon from "
        "'@mui/icons-material/Favorite';\nexport default () => <div style={{fontSize: 0}}>"
        "<Home sx={{fontSize: 200, color: 'teal'}} /><SettingsIcon /><FavoriteIcon /></div>",
        (),
        TEAL,
    ),
    "react-icons": Right(
        "import { FaHeart, FaStar } from 'react-icons/fa';\nimport { MdEmail } from 'react-icons/md';\n"
        "export default () => <p><FaHeart size={150} color='crimson' /><FaStar /><MdEmail /> Contact</p>",
        ("Contact",),
        CRIMSON,
    ),
    "react-icons of other sets": Right(
        "import { FiMenu } from 'react-icons/fi';\nimport { HiOutlineBell } from 'react-icons/hi2';\nimport { IoMdCart } "
        "from 'react-icons/io';\nimport { BsFillSunFill } from 'react-icons/bs';\nimport { FaReact } from "
        "'react-icons/fa6';\nimport { IconContext } from 'react-icons';\nexport default () => <IconContext.Provider "
        "value={{color: 'teal', size: '120px'}}><FiMenu /><HiOutlineBell /><IoMdCart /><BsFillSunFill /><FaReact />"
        "</IconContext.Provider>",
        (),
        TEAL,
    ),
    "react-hook-form with a schema": Right(
        "import { useForm, Controller } from 'react-hook-form';\nimport { zodResolver } from '@hookform/resolvers/zod';\n"
        "import { z } from 'zod';\nimport { useEffect } from 'react';\n"
        "const schema = z.object({ email: z.string().email('Enter an address') });\n"
        "export default function Form() { const { register, handleSubmit, trigger, formState: { errors } } = useForm({ "
        "resolver: zodResolver(schema), defaultValues: { email: 'nobody' } });\nuseEffect(() => { trigger() }, []);\n"
        "return <form onSubmit={handleSubmit(console.log)}><input {...register('email')} />{errors.email && "
        "<span style={{background: 'gold'}}>{errors.email.message}</span>}<button>Send</button></form> }",
        ("Enter an address", "Send"),
        GOLD,
    ),
    "react-hook-form": Right(
        "import React from 'react';\nimport { useForm } from 'react-hook-form';\nexport default function App() {\n"
        "const { register, watch, setValue } = useForm({ defaultValues: { first: 'Grace' } });\n"
        "return <form style={{background: 'teal'}}><input {...register('first', { required: true })} />"
        "<b>{watch('first')} Hopper</b></form> }",
        ("Grace Hopper",),
        TEAL,
    ),
    "Redux Toolkit": Right(
        "import { configureStore, createSlice, PayloadAction } from '@reduxjs/toolkit';\nimport { Provider, useDispatch, "
        "useSelector } from 'react-redux';\nimport { useEffect } from 'react';\ninterface State { items: string[] }\n"
        "const cart = createSlice({ name: 'cart', initialState: { items: ['Tea'] } as State, reducers: { add: (state, "
        "action: PayloadAction<string>) => { state.items.push(action.payload) } } });\n"
        "const store = configureStore({ reducer: { cart: cart.reducer } });\n"
        "type Root = ReturnType<typeof store.getState>;\n"
        "const Cart = () => { const items = useSelector((state: Root) => state.cart.items); const dispatch = "
        "useDispatch(); useEffect(() => { dispatch(cart.actions.add('Milk')) }, []);\nreturn <ul style={{background: "
        "'gold'}}>{items.map(one => <li key={one}>{one}</li>)}</ul> };\n"
        "export default () => <Provider store={store}><Cart /></Provider>",
        ("Tea", "Milk"),
        GOLD,
    ),
    "Redux and thunks in files": Right(
        "// store.js\nimport { configureStore, createAsyncThunk, createSlice } from '@reduxjs/toolkit';\n"
        "export const load = createAsyncThunk('load', async () => ['Loaded']);\nconst slice = createSlice({ name: 'a', "
        "initialState: [], reducers: {}, extraReducers: builder => { builder.addCase(load.fulfilled, (_, action) => "
        "action.payload) } });\nexport const store = configureStore({ reducer: slice.reducer });\n"
        "// App.jsx\nimport React, { useEffect } from 'react';\nimport { Provider, connect } from 'react-redux';\n"
        "import { combineReducers } from 'redux';\nimport { load, store } from './store';\nconst List = connect(rows => "
        "({ rows }), { load })(({ rows, load }) => { useEffect(() => { load() }, []); return <h1 style={{background: "
        "'teal'}}>{rows.join()} {typeof combineReducers}</h1> });\nexport default function App() { return "
        "<Provider store={store}><List /></Provider> }",
        ("Loaded function",),
        TEAL,
    ),
    "three": Right(
        "import { useEffect, useRef } from 'react';\nimport * as THREE from 'three';\nimport { OrbitControls } from "
        "'three/examples/jsm/controls/OrbitControls';\nexport default function Scene() { const box = useRef(null);\n"
        f"useEffect(() => {{ {SCENE} {CONTROLS.format('')} box.current.append(renderer.domElement) }}, []);\n"
        "return <div ref={box} /> }",
        (),
        TEAL,
    ),
    "react-leaflet": Right(
        "import { MapContainer, TileLayer, Marker, Popup, Circle } from 'react-leaflet';\nimport 'leaflet/dist/leaflet.css';\n"
        "import L from 'leaflet';\nimport icon from 'leaflet/dist/images/marker-icon.png';\nL.Marker.prototype.options.icon "
        "= L.icon({ iconUrl: icon, iconSize: [25, 41] });\nexport default () => <MapContainer center={[51.5, -0.09]} "
        "zoom={13} style={{height: 400}}><TileLayer url='https://{s}.tile.openstreetmap.org/{z}/{x}/{y}.png' "
        "attribution='OpenStreetMap' /><Marker position={[51.5, -0.06]}><Popup>Hi</Popup></Marker>"
        "<Circle center={[51.5, -0.1]} radius={800} pathOptions={{color: 'teal', fillOpacity: 1}} /></MapContainer>",
        ("OpenStreetMap",),
        TEAL,
    ),
    "leaflet with its own pin": Right(
        "import React, { useEffect } from 'react';\nimport L from 'leaflet';\nimport 'leaflet/dist/leaflet.css';\n"
        f"export default function Map() {{ useEffect(() => {{ {MAP} return () => map.remove() }}, []);\n"
        "return <div id='map' style={{height: 400}} /> }",
        ("Here it is",),
        TEAL,
    ),
    "react-bootstrap by its paths": Right(
        "import Button from 'react-bootstrap/Button';\nimport Card from 'react-bootstrap/Card';\n"
        "import 'bootstrap/dist/css/bootstrap.min.css';\nexport default () => <Card style={{background: 'gold'}}>"
        "<Card.Title>Card</Card.Title><Button variant='danger'>Buy</Button></Card>",
        ("Card", "Buy"),
        GOLD,
    ),
}

VUE = {
    "Vuetify in a component": Right(
        "<template><v-app><v-app-bar color='#008080'><v-app-bar-title>Inbox</v-app-bar-title></v-app-bar><v-main>"
        "<v-container><v-row><v-col v-for='n in 2' :key='n' cols='6'><v-card :title='`Card ${n}`' prepend-icon='mdi-email'>"
        "</v-card></v-col></v-row><v-btn color='error'>{{ label }}</v-btn></v-container></v-main></v-app></template>\n"
        "<script setup>\nimport { ref } from 'vue'\nconst label = ref('Archive')\n</script>",
        ("Inbox", "Card 1", "Card 2", "ARCHIVE"),
        TEAL,
    ),
    "Vuetify that starts itself": Right(
        "// main.js\nimport { createApp } from 'vue'\nimport App from './App.vue'\nimport 'vuetify/styles'\n"
        "import '@mdi/font/css/materialdesignicons.css'\nimport { createVuetify } from 'vuetify'\n"
        "import * as components from 'vuetify/components'\nimport * as directives from 'vuetify/directives'\n"
        "import { aliases, mdi } from 'vuetify/iconsets/mdi'\n"
        "const vuetify = createVuetify({ components, directives, icons: { defaultSet: 'mdi', aliases, sets: { mdi } }, "
        "theme: { themes: { light: { colors: { primary: '#ffd700' } } } } })\ncreateApp(App).use(vuetify).mount('#app')\n"
        "// App.vue\n<template><v-app><v-sheet color='primary' class='pa-8'><v-icon icon='mdi-star' /> Stars</v-sheet>"
        "</v-app></template>",
        ("Stars",),
        GOLD,
    ),
    "Vuetify with some components": Right(
        "<script setup lang='ts'>\nimport { VBtn } from 'vuetify/components'\nimport { useDisplay } from 'vuetify'\n"
        "const { mobile } = useDisplay()\n</script>\n<template><VBtn color='#008080'>{{ mobile ? 'small' : 'large' }}</VBtn>"
        "</template>",
        ("LARGE",),
        TEAL,
    ),
    "data labels": Right(
        "<script setup>\nimport { Bar } from 'vue-chartjs'\nimport { Chart as ChartJS, registerables } from 'chart.js'\n"
        "import ChartDataLabels from 'chartjs-plugin-datalabels'\nChartJS.register(...registerables, ChartDataLabels)\n"
        "const data = { labels: ['A', 'B'], datasets: [{ data: [12, 19], backgroundColor: 'gold' }] }\n"
        "const options = { animation: false, plugins: { datalabels: { color: 'crimson', font: { size: 60 } } } }\n"
        "</script>\n<template><div style='width: 600px'><Bar :data='data' :options='options' /></div></template>",
        (),
        CRIMSON,
    ),
    "leaflet": Right(
        "<template><div ref='box' style='height: 400px' id='map'></div></template>\n<script>\nimport L from 'leaflet'\n"
        f"import 'leaflet/dist/leaflet.css'\nexport default {{ mounted() {{ {MAP} }} }}\n</script>",
        ("Here it is",),
        TEAL,
    ),
    "three": Right(
        "<template><div></div></template>\n<script setup>\nimport { onMounted } from 'vue'\nimport * as THREE from 'three'\n"
        f"onMounted(() => {{ {SCENE} }})\n</script>",
        (),
        TEAL,
    ),
    "date-fns, luxon and moment": Right(
        "<script setup>\nimport { format } from 'date-fns'\nimport { DateTime } from 'luxon'\nimport moment from 'moment'\n"
        "const day = new Date(2024, 4, 6)\n</script>\n<template><p style='background: gold'>{{ format(day, 'EEE') }} "
        "{{ DateTime.fromJSDate(day).year }} {{ moment(day).format('MMMM') }}</p></template>",
        ("Mon 2024 May",),
        GOLD,
    ),
    "Pinia and Vue Router": Right(
        "<script setup>\nimport { defineStore, storeToRefs } from 'pinia'\nimport { RouterLink } from 'vue-router'\n"
        "const { n } = storeToRefs(defineStore('s', { state: () => ({ n: 7 }) })())\n</script>\n"
        "<template><RouterLink to='/x'>Link</RouterLink><h1 style='background: teal'>n is {{ n }}</h1></template>",
        ("Link", "n is 7"),
        TEAL,
    ),
}

MATERIAL = """import { Component } from '@angular/core';
import { MatToolbarModule } from '@angular/material/toolbar';
import { MatButtonModule } from '@angular/material/button';
import { MatIconModule } from '@angular/material/icon';
import { MatCardModule } from '@angular/material/card';
"""
FORM = """import { Component } from '@angular/core';
import { FormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatFormFieldModule } from '@angular/material/form-field';
import { MatInputModule } from '@angular/material/input';
import { MatSelectModule } from '@angular/material/select';
import { MatCheckboxModule } from '@angular/material/checkbox';
import { MatSlideToggleModule } from '@angular/material/slide-toggle';
"""
ANGULAR = {
    "Material's toolbar, cards and icons": Right(
        MATERIAL
        + "@Component({ selector: 'app-root', imports: [MatToolbarModule, MatButtonModule, MatIconModule, MatCardModule], "
        "template: `<mat-toolbar style='background: teal'><mat-icon>menu</mat-icon><span>Store</span></mat-toolbar>"
        "<mat-card><mat-card-title>Lamp</mat-card-title><mat-card-actions><button mat-raised-button color='primary'>Buy"
        "</button></mat-card-actions></mat-card>` })\nexport class AppComponent {}",
        ("Store", "Lamp", "Buy"),
        TEAL,
    ),
    "Material's fields": Right(
        FORM
        + "@Component({ selector: 'app-form', standalone: true, imports: [ReactiveFormsModule, MatFormFieldModule, "
        "MatInputModule, MatSelectModule, MatCheckboxModule, MatSlideToggleModule], template: `<form [formGroup]='form' "
        "style='background: gold'><mat-form-field appearance='outline'><mat-label>Mail</mat-label><input matInput "
        "formControlName='mail'><mat-error>Needed</mat-error></mat-form-field><mat-form-field><mat-label>Size</mat-label>"
        "<mat-select formControlName='size'><mat-option value='l'>Large</mat-option></mat-select></mat-form-field>"
        "<mat-checkbox>Agree</mat-checkbox><mat-slide-toggle>On</mat-slide-toggle></form>` })\nexport class FormComponent "
        "{ form = this.fb.group({ mail: ['', Validators.required], size: ['l'] }); constructor(private fb: FormBuilder) "
        "{ this.form.markAllAsTouched(); } }",
        ("Mail", "Needed", "Size", "Large", "Agree", "On"),
        GOLD,
    ),
    "Material's table in a module": Right(
        "import { Component, NgModule } from '@angular/core';\nimport { BrowserModule } from '@angular/platform-browser';\n"
        "import { BrowserAnimationsModule } from '@angular/platform-browser/animations';\nimport { MatTableModule, "
        "MatTableDataSource } from '@angular/material/table';\nimport { MatTabsModule } from '@angular/material/tabs';\n"
        "@Component({ selector: 'app-root', template: `<mat-tab-group><mat-tab label='People'><table mat-table "
        "[dataSource]='rows'><ng-container matColumnDef='name'><th mat-header-cell *matHeaderCellDef>Name</th><td mat-cell "
        "*matCellDef='let row' style='background: gold'>{{ row.name }}</td></ng-container><tr mat-header-row "
        "*matHeaderRowDef='shown'></tr><tr mat-row *matRowDef='let row; columns: shown'></tr></table></mat-tab>"
        "</mat-tab-group>` })\nexport class AppComponent { shown = ['name']; rows = new MatTableDataSource([{ name: "
        "'Ada' }, { name: 'Grace' }]); }\n@NgModule({ declarations: [AppComponent], imports: [BrowserModule, "
        "BrowserAnimationsModule, MatTableModule, MatTabsModule], bootstrap: [AppComponent] })\nexport class AppModule {}",
        ("People", "Name", "Ada", "Grace"),
        GOLD,
    ),
    "Material's list, chips and progress": Right(
        "import { Component } from '@angular/core';\nimport { MatListModule } from '@angular/material/list';\n"
        "import { MatChipsModule } from '@angular/material/chips';\nimport { MatProgressBarModule } from "
        "'@angular/material/progress-bar';\nimport { MatSidenavModule } from '@angular/material/sidenav';\nimport { "
        "MatExpansionModule } from '@angular/material/expansion';\n@Component({ selector: 'app-root', imports: "
        "[MatListModule, MatChipsModule, MatProgressBarModule, MatSidenavModule, MatExpansionModule], template: "
        "`<mat-sidenav-container><mat-sidenav mode='side' opened style='background: teal'><mat-nav-list><a mat-list-item>"
        "Drafts</a></mat-nav-list></mat-sidenav><mat-sidenav-content><mat-chip-set><mat-chip>New</mat-chip></mat-chip-set>"
        "<mat-progress-bar mode='determinate' [value]='40' /><mat-accordion><mat-expansion-panel expanded>"
        "<mat-expansion-panel-header>More</mat-expansion-panel-header>Details</mat-expansion-panel></mat-accordion>"
        "</mat-sidenav-content></mat-sidenav-container>` })\nexport class AppComponent {}",
        ("Drafts", "New", "More", "Details"),
        TEAL,
    ),
    "a dialog": Right(
        "import { Component, inject, OnInit } from '@angular/core';\nimport { MatDialog, MatDialogModule } from "
        "'@angular/material/dialog';\n@Component({ selector: 'app-ask', imports: [MatDialogModule], template: `<h2 "
        "mat-dialog-title>Sure?</h2><mat-dialog-content style='background: gold'>Really</mat-dialog-content>` })\n"
        "export class AskComponent {}\n@Component({ selector: 'app-root', template: `<p>Behind</p>` })\nexport class "
        "AppComponent implements OnInit { dialog = inject(MatDialog); ngOnInit() { this.dialog.open(AskComponent); } }",
        ("Behind", "Sure?", "Really"),
        GOLD,
    ),
    "drag and drop of the CDK": Right(
        "import { Component } from '@angular/core';\nimport { CdkDragDrop, DragDropModule, moveItemInArray } from "
        "'@angular/cdk/drag-drop';\nimport { BreakpointObserver } from '@angular/cdk/layout';\n@Component({ selector: "
        "'app-root', imports: [DragDropModule], template: `<div cdkDropList (cdkDropListDropped)='drop($event)'>"
        "@for (task of tasks; track task) { <div cdkDrag style='background: teal'>{{ task }}</div> }</div>` })\nexport "
        "class AppComponent { tasks = ['Plan', 'Build']; constructor(private watch: BreakpointObserver) {} drop(event: "
        "CdkDragDrop<string[]>) { moveItemInArray(this.tasks, event.previousIndex, event.currentIndex); } }",
        ("Plan", "Build"),
        TEAL,
    ),
    "data labels": Right(
        "import { AfterViewInit, Component } from '@angular/core';\nimport Chart from 'chart.js/auto';\nimport "
        "ChartDataLabels from 'chartjs-plugin-datalabels';\n@Component({ selector: 'app-root', template: `<canvas "
        "id='c' width='600' height='400'></canvas>` })\nexport class AppComponent implements AfterViewInit { "
        f"ngAfterViewInit() {{ Chart.register(ChartDataLabels); new Chart('c', {bars(LABELS)} as any); }} }}",
        (),
        CRIMSON,
    ),
    "leaflet": Right(
        "import { AfterViewInit, Component } from '@angular/core';\nimport * as L from 'leaflet';\nimport "
        "'leaflet/dist/leaflet.css';\n@Component({ selector: 'app-map', template: `<div id='map' style='height: 400px'>"
        f"</div>` }})\nexport class MapComponent implements AfterViewInit {{ ngAfterViewInit() {{ {MAP} }} }}",
        ("Here it is",),
        TEAL,
    ),
    "three": Right(
        "import { Component, OnInit } from '@angular/core';\nimport * as THREE from 'three';\n@Component({ selector: "
        f"'app-root', template: `<p>Scene</p>` }})\nexport class AppComponent implements OnInit {{ ngOnInit() {{ {SCENE} }} }}",
        ("Scene",),
        TEAL,
    ),
}

PACKAGED = [
    ("html", "chart", CHARTS),
    ("html", "three", THREE),
    ("html", "page", PAGES),
    ("react", "react", REACT),
    ("vue", "vue", VUE),
    ("angular", "angular", ANGULAR),
]
