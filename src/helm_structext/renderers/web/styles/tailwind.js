// What projects with Tailwind say to it: classes for dark pages, and the colors of shadcn/ui by its variables.
const color = name => `hsl(var(--${name}) / <alpha-value>)`
const pair = name => ({DEFAULT: color(name), foreground: color(`${name}-foreground`)})
tailwind.config = {
  darkMode: 'class',
  theme: {extend: {
    colors: {
      background: color('background'), foreground: color('foreground'), border: color('border'), input: color('input'), ring: color('ring'),
      ...Object.fromEntries(['primary', 'secondary', 'destructive', 'muted', 'accent', 'popover', 'card'].map(name => [name, pair(name)])),
      chart: Object.fromEntries([1, 2, 3, 4, 5].map(number => [number, color(`chart-${number}`)])),
      sidebar: {
        ...pair('sidebar'), primary: pair('sidebar-primary'), accent: pair('sidebar-accent'), border: color('sidebar-border'), ring: color('sidebar-ring'),
      },
    },
    borderRadius: {lg: 'var(--radius, 0.5rem)', md: 'calc(var(--radius, 0.5rem) - 2px)', sm: 'calc(var(--radius, 0.5rem) - 4px)'},
  }},
}
