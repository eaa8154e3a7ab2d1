import {ChevronLeft, ChevronRight} from 'lucide-react'
import {DayPicker} from 'react-day-picker'
import {buttonVariants} from './basic.jsx'
import {cn} from './utils.jsx'

const CLASSES = {
  months: 'relative flex flex-col gap-4 sm:flex-row', month: 'space-y-4',
  month_caption: 'flex h-7 items-center justify-center', caption_label: 'text-sm font-medium',
  nav: 'absolute inset-x-0 top-0 flex justify-between',
  button_previous: cn(buttonVariants({variant: 'outline'}), 'h-7 w-7 p-0 opacity-50 hover:opacity-100'),
  button_next: cn(buttonVariants({variant: 'outline'}), 'h-7 w-7 p-0 opacity-50 hover:opacity-100'),
  month_grid: 'w-full border-collapse space-y-1', weekdays: 'flex', week: 'mt-2 flex w-full',
  weekday: 'w-8 rounded-md text-[0.8rem] font-normal text-muted-foreground', day: 'p-0 text-center text-sm',
  day_button: cn(buttonVariants({variant: 'ghost'}), 'h-8 w-8 p-0 font-normal'),
  selected: 'rounded-md bg-primary text-primary-foreground [&>button]:text-primary-foreground', today: 'rounded-md bg-accent text-accent-foreground',
  outside: 'text-muted-foreground opacity-50', disabled: 'text-muted-foreground opacity-50', hidden: 'invisible',
  range_middle: 'rounded-none bg-accent [&>button]:text-accent-foreground',
}

export const Calendar = ({className, classNames, showOutsideDays = true, initialFocus, ...rest}) => (
  <DayPicker showOutsideDays={showOutsideDays} className={cn('p-3', className)} classNames={{...CLASSES, ...classNames}}
    components={{Chevron: ({orientation}) => orientation === 'left' ? <ChevronLeft className="h-4 w-4" /> : <ChevronRight className="h-4 w-4" />}} {...rest} />
)
export const CalendarDayButton = props => <button type="button" {...props} />
