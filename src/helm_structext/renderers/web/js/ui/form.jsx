import {Slot} from '@radix-ui/react-slot'
import {createContext, forwardRef, useContext, useId} from 'react'
import {Controller, FormProvider, useFormContext, useFormState} from 'react-hook-form'
import {Label} from './basic.jsx'
import {cn} from './utils.jsx'

const Named = createContext({})
const Identified = createContext({})
export const Form = FormProvider
export const FormField = props => <Named.Provider value={{name: props.name}}><Controller {...props} /></Named.Provider>
export function useFormField() {
  const {name} = useContext(Named)
  const {id} = useContext(Identified)
  const {getFieldState} = useFormContext()
  const state = getFieldState(name, useFormState({name}))
  return {id, name, formItemId: `${id}-form-item`, formDescriptionId: `${id}-form-item-description`, formMessageId: `${id}-form-item-message`, ...state}
}
export const FormItem = ({className, ...rest}) => (
  <Identified.Provider value={{id: useId()}}><div className={cn('space-y-2', className)} {...rest} /></Identified.Provider>
)
export function FormLabel({className, ...rest}) {
  const {error, formItemId} = useFormField()
  return <Label className={cn(error && 'text-destructive', className)} htmlFor={formItemId} {...rest} />
}
export const FormControl = forwardRef((props, ref) => {
  const {error, formItemId, formDescriptionId, formMessageId} = useFormField()
  return <Slot ref={ref} id={formItemId} aria-describedby={error ? `${formDescriptionId} ${formMessageId}` : formDescriptionId} aria-invalid={Boolean(error)} {...props} />
})
export const FormDescription = ({className, ...rest}) => <p id={useFormField().formDescriptionId} className={cn('text-[0.8rem] text-muted-foreground', className)} {...rest} />
export function FormMessage({className, children, ...rest}) {
  const {error, formMessageId} = useFormField()
  const said = error ? String(error.message ?? '') : children
  return said ? <p id={formMessageId} className={cn('text-[0.8rem] font-medium text-destructive', className)} {...rest}>{said}</p> : null
}
