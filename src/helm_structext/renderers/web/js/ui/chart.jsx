import {createContext, forwardRef, useContext, useId} from 'react'
import {Legend, ResponsiveContainer, Tooltip} from 'recharts'
import {cn} from './utils.jsx'

const Config = createContext({})
export const useChart = () => useContext(Config)

/** The colors of a chart's series, as variables of its part of the page. */
export const ChartStyle = ({id, config}) => (
  <style>{`[data-chart="${id}"] { ${Object.entries(config).filter(([, one]) => one.color ?? one.theme)
    .map(([key, one]) => `--color-${key}: ${one.color ?? one.theme.light};`).join(' ')} }`}</style>
)
export const ChartContainer = forwardRef(({id, className, children, config = {}, ...rest}, ref) => {
  const name = `chart-${id ?? useId().replace(/:/g, '')}`
  return (
    <Config.Provider value={{config}}>
      <div ref={ref} data-chart={name} className={cn("flex aspect-video justify-center text-xs [&_.recharts-cartesian-axis-tick_text]:fill-muted-foreground [&_.recharts-cartesian-grid_line[stroke='#ccc']]:stroke-border/50 [&_.recharts-layer]:outline-none [&_.recharts-surface]:outline-none", className)} {...rest}>
        <ChartStyle id={name} config={config} /><ResponsiveContainer>{children}</ResponsiveContainer>
      </div>
    </Config.Provider>
  )
})
export const ChartTooltip = Tooltip
export const ChartLegend = Legend
export function ChartTooltipContent({active, payload, label, className, hideLabel, hideIndicator, labelFormatter, nameKey}) {
  const {config} = useChart()
  if (!active || !payload?.length) return null
  return (
    <div className={cn('grid min-w-[8rem] items-start gap-1.5 rounded-lg border border-border/50 bg-background px-2.5 py-1.5 text-xs shadow-xl', className)}>
      {!hideLabel && <div className="font-medium">{labelFormatter ? labelFormatter(label, payload) : config[label]?.label ?? label}</div>}
      {payload.map(one => (
        <div key={one.dataKey} className="flex w-full items-center gap-2">
          {!hideIndicator && <div className="h-2.5 w-2.5 shrink-0 rounded-[2px]" style={{background: one.payload?.fill ?? one.color}} />}
          <span className="flex-1 text-muted-foreground">{config[one[nameKey] ?? one.name ?? one.dataKey]?.label ?? one.name}</span>
          <span className="font-mono font-medium text-foreground">{one.value?.toLocaleString('en-US')}</span>
        </div>
      ))}
    </div>
  )
}
export function ChartLegendContent({className, hideIcon, payload, verticalAlign = 'bottom', nameKey}) {
  const {config} = useChart()
  return (
    <div className={cn('flex items-center justify-center gap-4', verticalAlign === 'top' ? 'pb-3' : 'pt-3', className)}>
      {payload?.map(one => {
        const about = config[one[nameKey] ?? one.payload?.[nameKey] ?? one.dataKey ?? one.value]
        return (
          <div key={one.value} className="flex items-center gap-1.5">
            {about?.icon && !hideIcon ? <about.icon /> : <div className="h-2 w-2 shrink-0 rounded-[2px]" style={{backgroundColor: one.color}} />}{about?.label ?? one.value}
          </div>
        )
      })}
    </div>
  )
}
