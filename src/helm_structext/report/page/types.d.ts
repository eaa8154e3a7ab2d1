// What the page's modules hand each other. What the index holds is described in Python (`report/parts.py`).

export interface Metric { name: string; label: string; less?: boolean; brief?: boolean; verdict?: boolean }

export interface Facet { name: string; label: string; options: Record<string, string>; groups?: Record<string, string>; every?: boolean }

type Tags = Record<string, string[]>;

export interface Label { answer: string; model: string; run: string; categories: string[]; annotator: string; note: string }

export interface Instance {
  index: number; block: string; id: string; part: string; label: string; remarks: string[]; tags: Tags;
  input: number | null; reference: number | null; resize: boolean; compared: boolean; open: number;
}

export interface Answer {
  index: number; block: string; view: View; instance: Instance; model: number; tags: Tags; scores: (number | null)[];
  run: number; kind: string | null; truncated: boolean; refused: boolean; input: number | null; output: number | null; open: number;
}

export interface Item { instance: Instance; answers: Answer[] }

export interface Sheet { label: string; models: number[]; answers: Answer[]; sections: any[]; warning: string }

export interface List {
  place: HTMLElement; form: HTMLElement; items: Item[]; heights: Float64Array; tops: Float64Array; cards: Map<number, any>;
  selected: number; lead: number; at: number; sizes: ResizeObserver; tall: (item: Item) => number; card: (item: Item) => any;
}

export interface Grid {
  place: HTMLElement; body: HTMLElement; shown: { answers: Map<number, Answer> }[]; waiting: number[]; count: number; near: boolean;
  more: () => void;
}

export interface View {
  name: string; title: string; unit: string; plan: string; boxes: boolean; marks: string; metrics: Metric[]; facets: Facet[];
  instances: Instance[]; runs: string[]; sheets: Sheet[]; grouped: boolean;
  at: number; score: number; metric: number; items: Item[]; // what is shown: a sheet, metrics by their places, the list
  form: any; list: List; grid: Grid; count: HTMLElement; section: HTMLElement; sections: HTMLElement; nav: HTMLElement; warning: HTMLElement;
}

export interface Shot {
  input: number | null; rendering: number | null; against: number | null; againstName: string; resize: boolean; title: string;
  planName: string; plan: (() => Promise<any>) | null; over: (() => Promise<Element>) | null; marks: (() => Promise<any[]>) | null;
}
