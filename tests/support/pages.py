"""Completions for the formats that a browser shows: right ones and broken ones."""

from typing import NamedTuple


class Right(NamedTuple):
    """Code, words that the page shows, and a color (RGB) that is somewhere on it."""

    code: str
    words: tuple[str, ...]
    color: tuple[int, int, int] | None = None


class Broken(NamedTuple):
    """Code, how the message about it begins or what it has in it (a pattern), and the kind of error."""

    code: str
    message: str
    kind: str = "syntax"


TEAL, CRIMSON, NAVY, GOLD = (0, 128, 128), (220, 20, 60), (0, 0, 128), (255, 215, 0)

HTML = {
    "plain": Right(
        "<!DOCTYPE html><title>t</title><h1 style='background:teal'>Title</h1><p>Über 数学</p>",
        ("Title", "Über 数学"),
        TEAL,
    ),
    "bootstrap and font awesome": Right(
        '<link href="https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/css/bootstrap.min.css" '
        'rel="stylesheet" integrity="sha384-wrong" crossorigin="anonymous"><link rel="stylesheet" '
        'href="https://cdnjs.cloudflare.com/ajax/libs/font-awesome/6.4.0/css/all.min.css">'
        '<nav class="navbar bg-primary">Brand <i class="fa-solid fa-heart"></i></nav>',
        ("Brand",),
        (13, 110, 253),
    ),
    "chart.js and jquery": Right(
        "<canvas id=c width=400 height=300></canvas><p>Count: </p>"
        "<script src=https://code.jquery.com/jquery-3.6.0.min.js></script>"
        "<script src=https://cdn.jsdelivr.net/npm/chart.js></script><script>$('p').append('2');"
        "new Chart(c, {type: 'bar', data: {labels: ['a', 'b'], datasets: [{data: [3, 5], "
        "backgroundColor: '#dc143c'}]}, options: {responsive: false}})</script>",
        ("Count: 2",),
        CRIMSON,
    ),
    "tailwind with a configuration": Right(
        "<script src=https://cdn.tailwindcss.com></script><script>"
        "tailwind.config = {theme: {extend: {colors: {brand: '#008080'}}}}</script>"
        '<div class="bg-brand p-8 text-white hidden md:block">Wide</div>',
        ("Wide",),
        TEAL,
    ),
    "d3": Right(
        "<svg width=200 height=200></svg><script src=https://d3js.org/d3.v7.min.js></script>"
        "<script>d3.select('svg').selectAll('circle').data([9, 50]).join('circle')"
        ".attr('r', d => d).attr('fill', 'gold'); document.body.append(d3.sum([1, 2]))</script>",
        ("3",),
        GOLD,
    ),
    "modules from a host": Right(
        "<p id=p></p><script type=module>import dayjs from 'https://esm.sh/dayjs@1';"
        "import {sum} from 'https://cdn.jsdelivr.net/npm/d3@7/+esm';"
        "p.textContent = dayjs('2024-02-03').format('D/M') + ' ' + sum([4, 5])</script>",
        ("3/2 9",),
    ),
    "google's fonts": Right(
        "<link rel=stylesheet href='https://fonts.googleapis.com/css2?family=Pacifico&family="
        "Roboto:wght@400;700&display=swap'><p style='font-family:Pacifico'>Font</p><script>"
        "document.fonts.load('20px Pacifico').then(found => document.body.append(found.length))"
        "</script>",
        ("Font", "1"),
    ),
    "react and babel": Right(
        "<div id=root></div><script src=https://unpkg.com/react@18/umd/react.production.min.js>"
        "</script><script src=https://unpkg.com/react-dom@18/umd/react-dom.production.min.js>"
        "</script><script src=https://unpkg.com/@babel/standalone/babel.min.js></script>"
        "<script type='text/babel'>const App = () => <h1 style={{background: 'gold'}}>Babel</h1>;"
        "ReactDOM.createRoot(document.getElementById('root')).render(<App/>)</script>",
        ("Babel",),
        GOLD,
    ),
}
HTML_BROKEN = {
    "unknown name": Broken(
        "<body>\n<script>document.write(missing)</script>",
        r"index\.html:2: ReferenceError: missing",
    ),
    "syntax": Broken("<body>\n\n<script>const x = ;</script>", r"index\.html:3: SyntaxError"),
    "null": Broken(
        "<div id=a></div><script>document.getElementById('b').textContent = 'x'</script>",
        r"index\.html:1: TypeError: Cannot set properties of null",
    ),
    "rejected promise": Broken(
        "<script>Promise.reject(new TypeError('later'))</script>",
        r"index\.html:1: TypeError: later",
    ),
    "JSX for Babel": Broken(
        "<script src=https://unpkg.com/@babel/standalone/babel.min.js></script>\n"
        "<script type=text/babel>\nconst A = () => <p>;\n</script>",
        r"index\.html, script 1:4: .*closing \"p\" tag",
    ),
    "library that is not there": Broken(
        "<div id=map></div><script src=https://example.com/lib.js></script>\n"
        "<script>lib.draw('map')</script>",
        r"index\.html:2: ReferenceError: lib is not defined",
        "missing",
    ),
    "canvas left blank": Broken(
        "<canvas id=c></canvas><script>c.getContext('2d').fillRec(0, 0, 9, 9)</script>",
        r"index\.html:1: TypeError: .*fillRec",
    ),
}

CANVAS = {
    "script": Right(
        "const ctx = document.getElementById('any').getContext('2d');"
        "ctx.fillStyle = 'teal'; ctx.fillRect(10, 10, 1200, 700)",
        (),
        TEAL,
    ),
    "script with a size": Right(
        "const canvas = document.querySelector('#scene'); canvas.width = 300;"
        "const ctx = canvas.getContext('2d'); ctx.fillStyle = 'gold'; ctx.arc(99, 99, 50, 0, 7);"
        "ctx.fill()",
        (),
        GOLD,
    ),
    "element of its own": Right(
        "const c = document.createElement('canvas'); document.body.append(c);"
        "const x = c.getContext('2d'); x.fillStyle = 'navy'; x.fillRect(0, 0, 50, 50)",
        (),
        NAVY,
    ),
    "page": Right(
        "<!DOCTYPE html><h1>Drawing</h1><canvas id=c width=500 height=300></canvas><script>"
        "const g = c.getContext('2d'); g.strokeStyle = 'crimson'; g.lineWidth = 30;"
        "g.strokeRect(50, 50, 300, 200)</script>",
        ("Drawing",),
        CRIMSON,
    ),
    "frames": Right(
        "<canvas id=c width=500 height=300></canvas><script>const g = c.getContext('2d'); let n = 0;"
        "(function draw() { g.fillStyle = ++n > 8 ? 'teal' : 'red'; g.fillRect(0, 0, 500, 300);"
        "requestAnimationFrame(draw) })()</script>",
        (),
        TEAL,
    ),
    "transformations": Right(
        "const g = document.getElementById('canvas').getContext('2d'); g.translate(200, 200);"
        "for (let i = 0; i < 6; i++) { g.rotate(Math.PI / 3); g.fillStyle = 'crimson';"
        "g.fillRect(60, -15, 80, 30) }",
        (),
        CRIMSON,
    ),
}
CANVAS_BROKEN = {
    "method": Broken(
        "const g = document.getElementById('c').getContext('2d');\ng.fillRec(0, 0, 5, 5)",
        r"script\.js:2: TypeError: g\.fillRec is not a function",
    ),
    "syntax": Broken(
        "const g = canvas.getContext('2d'\ng.fillRect(0, 0, 1, 1)", r"script\.js:1: SyntaxError"
    ),
    "element": Broken(
        "<canvas id=a style='width: 0'></canvas><script>b.getContext('2d')</script>",
        r"index\.html:1: ReferenceError: b",
    ),
    "thrown text": Broken("throw 'nothing to draw'", r"script\.js:1: nothing to draw"),
    "import": Broken("import x from 'y'", r"script\.js:1: SyntaxError: Cannot use import"),
    "argument": Broken(
        "const g = document.getElementById('a').getContext('2d');\n\ng.drawImage(null, 0, 0)",
        r"script\.js:3: TypeError: Failed to execute 'drawImage'",
    ),
}

REACT = {
    "hooks": Right(
        """import React, { useState, useEffect, useMemo, useReducer, useContext, createContext } from 'react';
import './App.css';
const Theme = createContext('light');
const reducer = (list, item) => [...list, item];
function List() {
  const theme = useContext(Theme);
  const [items, add] = useReducer(reducer, ['apple']);
  const [late, setLate] = useState('soon');
  useEffect(() => { add('pear'); setTimeout(() => setLate('late'), 400) }, []);
  const total = useMemo(() => items.length * 10, [items]);
  return <section style={{ border: '9px solid teal' }}>
    <h2>{theme} {late}</h2><ul>{items.map(item => <li key={item}>{item}</li>)}</ul>
    <>{total > 10 && <b>Total {total}</b>}</></section>;
}
export default function App() { return <Theme.Provider value="dark"><List /></Theme.Provider> }""",
        ("dark late", "apple", "pear", "Total 20"),
        TEAL,
    ),
    "TypeScript, named export": Right(
        """import { FC, useState } from "react";
interface Props { name: string; tags?: string[] }
enum Color { Back = 'navy' }
const Card: FC<Props> = ({ name, tags = [] }: Props) => <p>{name}: {tags.join(', ')}</p>;
export const Page: React.FC = () => {
  const [size] = useState<'a' | 'b'>('a');
  return <main style={{ background: Color.Back }}><Card name="Typed" tags={['x', size as string]} /></main>;
};""",
        ("Typed: x, a",),
        NAVY,
    ),
    "old mounting, nothing imported": Right(
        """const { useState } = React;
class Clock extends React.Component { state = { ticks: 3 }; render() { return <p>Ticks: {this.state.ticks}</p> } }
const App = () => { const [a] = useState('!'); return <div style={{ background: 'gold' }}><Clock />{a}</div> };
ReactDOM.render(<App />, document.getElementById('container'));""",
        ("Ticks: 3", "!"),
        GOLD,
    ),
    "new mounting in files": Right(
        """// src/index.js
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import App from './App';
import './index.css';
createRoot(document.getElementById('root')).render(<BrowserRouter><App /></BrowserRouter>);
// src/App.js
import { Routes, Route } from 'react-router-dom';
import styles from './App.module.css';
import Header from './components/Header';
export default () => <div className={styles.box}><Header /><Routes><Route path="/" element={<p>Home</p>} /></Routes></div>;
// src/components/Header.jsx
export default function Header() { return <h1>Several files</h1> }
/* src/index.css */
body { color: #008080 }
/* src/App.module.css */
.box { background: crimson }""",
        ("Several files", "Home"),
        CRIMSON,
    ),
    "no export": Right(
        "const Note = ({ text = 'Not exported' }) => <mark style={{ background: 'gold' }}>{text}</mark>;",
        ("Not exported",),
        GOLD,
    ),
    "an element alone": Right(
        "<div style={{ background: 'teal' }}>Element {1 + 1}</div>", ("Element 2",), TEAL
    ),
    "companions": Right(
        """import React from 'react';
import { BarChart, Bar, XAxis } from 'recharts';
import { Heart } from 'lucide-react';
import styled from 'styled-components';
import PropTypes from 'prop-types';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import 'bootstrap/dist/css/bootstrap.min.css';
const Title = styled.h1`background: gold;`;
function Board({ title }) {
  return <><Title className="text-center">{title}</Title><Heart />
    <ReactMarkdown remarkPlugins={[remarkGfm]}>{'**bold** ~~gone~~'}</ReactMarkdown>
    <BarChart width={300} height={200} data={[{ n: 'Ann', v: 3 }]}><XAxis dataKey="n" /><Bar dataKey="v" fill="#dc143c" /></BarChart></>;
}
Board.propTypes = { title: PropTypes.string };
export default (props) => <Board title="Companions" {...props} />;""",
        ("Companions", "bold", "Ann"),
        CRIMSON,
    ),
    "memo, reference, portal, error boundary": Right(
        """import { memo, forwardRef, useRef, useLayoutEffect, Component, Fragment } from 'react';
import { createPortal } from 'react-dom';
class Boundary extends Component { state = {}; static getDerivedStateFromError(error) { return { error } }
  render() { return this.state.error ? <p>Caught {this.state.error.message}</p> : this.props.children } }
const Bad = () => { throw new Error('inside') };
const Box = memo(forwardRef((props, ref) => <p ref={ref}>empty</p>));
function App() { const box = useRef(); useLayoutEffect(() => { box.current.textContent = 'filled' });
  return <Fragment><Boundary><Bad /></Boundary><Box ref={box} />{createPortal(<i>portal</i>, document.body)}</Fragment> }
export { App };""",
        ("Caught inside", "filled", "portal"),
    ),
}
REACT_BROKEN = {
    "two elements side by side": Broken(
        "export default () => (\n  <h1>A</h1>\n  <p>B</p>\n)",
        r"^App\.jsx:2: JSX expressions must have one parent element",
    ),
    "tag left open": Broken(
        "export default () =>\n  <div><p>open</div>", r"App\.jsx:2: Unexpected closing \"div\" tag"
    ),
    "unknown package": Broken(
        "import React from 'react';\nimport pad from 'left-pad';\nexport default () => <p>x</p>",
        r"App\.jsx:2: cannot import \"left-pad\": it is not one of the installed packages",
        "missing",
    ),
    "package of Node": Broken(
        "import fs from 'fs';\nexport default () => <p>{fs.readFileSync('/etc/passwd')}</p>",
        r"App\.jsx:1: cannot import \"fs\"",
    ),
    "file that is not there": Broken(
        "import Header from './Header';\nexport default () => <Header />",
        r"App\.jsx:1: cannot find \"\./Header\"",
    ),
    "name that a package has not": Broken(
        "import { useStatus } from 'react';\nexport default () => <p>{useStatus()}</p>",
        r"App\.jsx:1: SyntaxError: The requested module 'react' .* 'useStatus'",
    ),
    "unknown name": Broken(
        "export default function App() {\n  return <p>{missing.name}</p>\n}",
        r"App\.jsx:2: ReferenceError: missing is not defined",
    ),
    "thrown while rendering": Broken(
        "function Row() {\n  throw new Error('no row')\n}\nexport default () => <Row />",
        r"App\.jsx:2: Error: no row",
    ),
    "endless rendering": Broken(
        "import { useState } from 'react';\nexport default () => { const [a, set] = useState(0);"
        "set(a + 1); return <p>{a}</p> }",
        "Error: Too many re-renders",
    ),
    "no component": Broken("const a = 1;", r"App\.jsx: the code has no component to show"),
    "no code": Broken("I can not do that.", r"App\.jsx:1: "),
}

VUE = {
    "links of a project": Right(
        """<script setup>
import { useRoute } from 'vue-router'
const route = useRoute()
</script>
<template><router-link to="/">Home</router-link> <RouterLink :to="{ name: 'user' }">User</RouterLink>
<p style="background: teal">{{ route.params.id ?? 'nobody' }}</p><router-view /></template>""",
        ("Home User", "nobody"),
        TEAL,
    ),
    "page with an import map": Right(
        """<script type="importmap">{"imports": {"vue": "https://unpkg.com/vue@3/dist/vue.esm-browser.js"}}</script>
<div id="app">{{ message }}</div>
<script type="module">
import { createApp, ref } from 'vue'
createApp({ setup: () => ({ message: ref('Mapped') }) }).mount('#app')
</script>""",
        ("Mapped",),
    ),
    "options": Right(
        """<template>
  <div class="card"><h1>{{ title }}</h1><p v-if="items.length">{{ count }} items</p>
  <ul><li v-for="(item, n) in items" :key="n" :class="{ odd: n % 2 }">{{ item }} {{ price(n) }}</li></ul>
  <input v-model="title"><button @click="count++">Add</button><slot>fallback</slot></div>
</template>
<script>
export default {
  name: 'Card', props: { size: { type: Number, default: 2 } },
  data() { return { title: 'Options', items: ['pen'] } },
  computed: { count() { return this.items.length } },
  methods: { price(n) { return `$${(n + this.size).toFixed(2)}` } },
  mounted() { this.items.push('ink') },
}
</script>
<style scoped>.card { border: 9px solid teal } .odd { background: gold }</style>""",
        ("Options", "2 items", "pen $2.00", "ink $3.00", "Add", "fallback"),
        TEAL,
    ),
    "script setup in TypeScript, Sass": Right(
        """<script setup lang="ts">
import { ref, computed, onMounted, defineComponent, h } from 'vue'
interface Row { id: number; label: string }
const props = withDefaults(defineProps<{ rows?: Row[] }>(), { rows: () => [{ id: 1, label: 'one' }] })
const n = ref<number>(0)
const doubled = computed(() => n.value * 2)
onMounted(() => { n.value = 21 })
const Badge = defineComponent({ props: ['text'], setup: props => () => h('b', props.text) })
</script>
<template><h1>Setup {{ doubled }}</h1>
<p v-for="row in props.rows" :key="row.id">{{ (row as Row).label.toUpperCase() }}</p><Badge text="badge" /></template>
<style lang="scss" scoped>$back: crimson; h1 { background: $back; &:hover { color: red } }</style>""",
        ("Setup 42", "ONE", "badge"),
        CRIMSON,
    ),
    "createApp": Right(
        """import { createApp, ref } from 'vue';
const Item = { props: ['x'], template: '<li style="background: gold">{{ x }}!</li>' };
const App = { components: { Item }, template: `<h1>{{ said }}</h1><Item v-for="a in 3" :x="a" />`, setup: () => ({ said: ref('Program') }) };
createApp(App).mount('#main');""",
        ("Program", "1!", "3!"),
        GOLD,
    ),
    "option object": Right(
        "export default { template: '<p style=\"background: teal\">Plain {{ a }}</p>', data: () => ({ a: 5 }) }",
        ("Plain 5",),
        TEAL,
    ),
    "piece of a page": Right(
        "<div id=app><h1>{{ said }}</h1><p v-for='n in 2' style='background: navy'>n{{ n }}</p></div><script>"
        "const { createApp } = Vue; createApp({ data() { return { said: 'Page' } } }).mount('#app')</script>",
        ("Page", "n1", "n2"),
        NAVY,
    ),
    "page of Vue 2": Right(
        "<!DOCTYPE html><script src=https://cdn.jsdelivr.net/npm/vue@2/dist/vue.js></script>"
        "<div id=app><p style='background: gold'>{{ said | loud }}</p></div><script>"
        "new Vue({ el: '#app', data: { said: 'two' }, filters: { loud: s => s.toUpperCase() } })</script>",
        ("TWO",),
        GOLD,
    ),
    "files, store, several styles": Right(
        """<!-- App.vue -->
<script setup>
import { storeToRefs } from 'pinia'
import { useCounter } from './counter'
import Child from './components/Child.vue'
const { n } = storeToRefs(useCounter())
</script>
<template><h1>Store {{ n }}</h1><Child v-model="n"><template #head>slot</template></Child></template>
<style>h1 { background: teal }</style>
<style module>.gone { color: red }</style>
// counter.js
import { defineStore } from 'pinia'
export const useCounter = defineStore('counter', { state: () => ({ n: 7 }) })
<!-- components/Child.vue -->
<script setup>const value = defineModel()</script>
<template><p><slot name="head" /> child {{ value }}</p></template>""",
        ("Store 7", "slot child 7"),
        TEAL,
    ),
}
VUE_BROKEN = {
    "tag left open": Broken(
        "<template>\n  <div><p>open</div>\n</template>", r"App\.vue:2: Element is missing end tag"
    ),
    "undefined in the template": Broken(
        "<template>\n<p>{{ a.b.c }}</p></template>\n<script>\nexport default { data: () => ({}) }</script>",
        r"App\.vue:2: TypeError: Cannot read properties of undefined \(reading 'b'\)",
    ),
    "syntax of the script": Broken(
        "<script setup>\nconst a = ;\n</script><template><p/></template>",
        r"App\.vue:2: Unexpected token",
    ),
    "unknown package": Broken(
        "<script setup>\nimport X from 'nowhere'\n</script><template><X/></template>",
        r"App\.vue:2: cannot import \"nowhere\"",
        "missing",
    ),
    "component that is not there": Broken(
        "<template><X/></template>\n<script>\nimport X from './X.vue'\nexport default { components: { X } }</script>",
        r"App\.vue:3: cannot find \"\./X\.vue\"",
    ),
    "directive": Broken("<template><p v-for='x in'>{{ x }}</p></template>", r"App\.vue:1: v-for"),
    "thrown in setup": Broken(
        "<script>\nexport default { setup() {\n throw new Error('no data') } }</script><template><p>x</p></template>",
        r"App\.vue:3: Error: no data",
    ),
    "other template language": Broken(
        "<template lang='pug'>\np x\n</template>", r"App\.vue:1: templates in pug are not supported"
    ),
    "style sheet": Broken(
        "<template><p>x</p></template>\n<style scoped>\np { color: red\n</style>",
        r"App\.vue:3: Unclosed block",
    ),
}

ANGULAR = {
    "stand-alone, signals, control flow": Right(
        """import { Component, signal, computed, input, inject, Injectable, Pipe, PipeTransform, Directive, ElementRef } from '@angular/core';
import { CommonModule } from '@angular/common';
import { FormsModule } from '@angular/forms';
@Injectable({ providedIn: 'root' }) export class Store { names = signal(['Ann', 'Bob']); }
@Pipe({ name: 'shout', standalone: true }) export class ShoutPipe implements PipeTransform { transform(v: string) { return v.toUpperCase() + '!' } }
@Directive({ selector: '[mark]', standalone: true }) export class Mark { constructor(private el: ElementRef) { this.el.nativeElement.style.background = 'gold'; } }
@Component({ selector: 'app-child', standalone: true, template: `<p>Child {{ v() }}</p>` }) export class Child { v = input.required<number>(); }
@Component({ selector: 'app-root', standalone: true, imports: [CommonModule, FormsModule, ShoutPipe, Mark, Child],
  template: `<h1>{{ title | shout }}</h1><p *ngIf="on">ngIf</p>
  <li *ngFor="let n of store.names(); let i = index" [class.first]="i === 0">{{ i }} {{ n }}</li>
  @if (count() > 2) { <b>big {{ double() }}</b> } @else { <i>small</i> }
  @for (n of store.names(); track n) { <span>({{ n }})</span> } @empty { none }
  @switch (count()) { @case (3) { <em>three</em> } @default { other } }
  <p mark>{{ 1234.5 | currency }} {{ today | date: 'yyyy' }}</p><app-child [v]="5" /><input [(ngModel)]="title">`,
  styles: [`.first { color: crimson }`] })
export class AppComponent { title = 'Angular'; on = true; today = new Date(); count = signal(3); double = computed(() => this.count() * 2);
  constructor(public store: Store) {} }""",
        ("ANGULAR!", "ngIf", "0 Ann", "big 6", "(Bob)", "three", "$1,234.50 2024", "Child 5"),
        GOLD,
    ),
    "module, inputs, reactive forms": Right(
        """import { NgModule, Component, Input, Output, EventEmitter, OnInit } from '@angular/core';
import { BrowserModule } from '@angular/platform-browser';
import { ReactiveFormsModule, FormGroup, FormBuilder, Validators } from '@angular/forms';
@Component({ selector: 'app-item', template: '<li>{{ name }}</li>' }) export class ItemComponent { @Input() name!: string; @Output() pick = new EventEmitter<string>(); }
@Component({ selector: 'app-root', template: `<h2 style="background: teal">Module</h2><app-item *ngFor="let i of items" [name]="i"></app-item>
 <form [formGroup]="form"><input formControlName="mail"><span *ngIf="form.invalid">invalid</span></form>` })
export class AppComponent implements OnInit { items: string[] = []; form: FormGroup;
  constructor(private fb: FormBuilder) { this.form = this.fb.group({ mail: ['', Validators.required] }); }
  ngOnInit() { this.items = ['x', 'y']; } }
@NgModule({ declarations: [AppComponent, ItemComponent], imports: [BrowserModule, ReactiveFormsModule], bootstrap: [AppComponent] }) export class AppModule {}""",
        ("Module", "x", "y", "invalid"),
        TEAL,
    ),
    "template and style sheet in files": Right(
        """// app.component.ts
import { Component } from '@angular/core';
@Component({ selector: 'app-root', templateUrl: './app.component.html', styleUrls: ['./app.component.scss'] })
export class AppComponent { list = ['one', 'two']; name = ''; }
<!-- app.component.html -->
<h1>Files</h1><p *ngFor="let a of list">{{ a | uppercase }}</p><input [(ngModel)]="name">
/* app.component.scss */
$back: crimson;
h1 { background: $back; }""",
        ("Files", "ONE", "TWO"),
        CRIMSON,
    ),
    "a component without a project": Right(
        """import { Component, OnInit } from '@angular/core';
@Component({ selector: 'app-card', template: `<div *ngIf="user" [ngStyle]="{background: 'navy'}" [ngClass]="{a: true}">{{ user.name }}</div>` })
export class CardComponent implements OnInit { user: any; ngOnInit() { setTimeout(() => this.user = { name: 'Later' }, 300) } }""",
        ("Later",),
        NAVY,
    ),
    "starts itself": Right(
        """import { Component, inject, InjectionToken } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { of } from 'rxjs';
import { map } from 'rxjs/operators';
import { AsyncPipe } from '@angular/common';
const NAME = new InjectionToken<string>('name');
@Component({ selector: 'my-app', imports: [AsyncPipe], template: '<p style="background: gold">{{ name }} {{ n$ | async }}</p>' })
class App { name = inject(NAME); n$ = of(20).pipe(map(n => n + 1)); }
bootstrapApplication(App, { providers: [{ provide: NAME, useValue: 'Token' }] }).catch(e => console.error(e));""",
        ("Token 21",),
        GOLD,
    ),
    "files put together without names": Right(
        """import { Component } from '@angular/core';
@Component({ selector: 'app-head', template: '<h1 style="background: teal">Head</h1>' })
export class HeadComponent {}
import { Component } from '@angular/core';
import { HeadComponent } from './head.component';
@Component({ selector: 'app-root', template: '<app-head></app-head><p>Root</p>' })
export class AppComponent {}""",
        ("Head", "Root"),
        TEAL,
    ),
    "a template alone": Right(
        '<h1 style="background: gold">Alone</h1><li *ngFor="let n of [1, 2]">{{ n * 2 }}</li>',
        ("Alone", "2", "4"),
        GOLD,
    ),
    "router and animations": Right(
        """import { Component } from '@angular/core';
import { RouterOutlet, RouterLink } from '@angular/router';
import { trigger, transition, style, animate } from '@angular/animations';
@Component({ selector: 'app-root', imports: [RouterOutlet, RouterLink], template: '<a routerLink="/a">Link</a><p @fade>Faded in</p><router-outlet/>',
 animations: [trigger('fade', [transition(':enter', [style({ opacity: 0 }), animate('300ms')])])] })
export class AppComponent {}""",
        ("Link", "Faded in"),
    ),
}
ANGULAR_BROKEN = {
    "syntax": Broken(
        "import { Component } from '@angular/core';\n@Component({ template: `<p>`\nexport class A {}",
        r"app\.component\.ts:3: ',' expected",
    ),
    "unknown package": Broken(
        "import { Component } from '@angular/core';\nimport { Foo } from 'foo';\n"
        "@Component({ template: '<p>x' }) export class A { a = Foo }",
        r"app\.component\.ts:2: cannot import \"foo\"",
        "missing",
    ),
    "nothing imported": Broken(
        "// Nothing\n@Component({ template: '<p>' }) export class A {}",
        r"app\.component\.ts:2: ReferenceError: Component is not defined",
    ),
    "template that is not there": Broken(
        "import { Component } from '@angular/core';\n"
        "@Component({ selector: 'app-root', templateUrl: './app.component.html' }) export class A {}",
        r"app\.component\.ts:2: cannot find \"\./app\.component\.html\"",
    ),
    "unknown pipe": Broken(
        "import { Component } from '@angular/core';\n"
        "@Component({ template: '<p>{{ 1 | roman }}</p>' }) export class A {}",
        "template of A: .*The pipe 'roman' could not be found",
    ),
    "undefined in the template": Broken(
        "import { Component } from '@angular/core';\n"
        "@Component({ template: '<p>{{ a.b.c }}</p>' }) export class A { a: any }",
        r"template of A: TypeError: Cannot read properties of undefined \(reading 'b'\)",
    ),
    "block left open": Broken(
        "import { Component } from '@angular/core';\n"
        "@Component({ template: `<p></p>\n@if (x) { <p>` }) export class A {}",
        r'^app\.component\.ts:3: template of A: Unclosed block "if": @if \(x\) \{ <p>',
    ),
    "no provider": Broken(
        "import { Component } from '@angular/core';\nclass S {}\n"
        "@Component({ template: '<p>x' }) export class A { constructor(private s: S) {} }",
        "No provider found for `S`",
    ),
    "no component": Broken("export class A {}", "the code has no component to show"),
}

RIGHT = {"html": HTML, "canvas": CANVAS, "react": REACT, "vue": VUE, "angular": ANGULAR}
BROKEN = {
    "html": HTML_BROKEN,
    "canvas": CANVAS_BROKEN,
    "react": REACT_BROKEN,
    "vue": VUE_BROKEN,
    "angular": ANGULAR_BROKEN,
}
