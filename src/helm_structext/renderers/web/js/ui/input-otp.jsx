import {OTPInput, OTPInputContext} from 'input-otp'
import {Minus} from 'lucide-react'
import {useContext} from 'react'
import {cn, styled} from './utils.jsx'

export const InputOTP = ({className, containerClassName, ...rest}) => (
  <OTPInput containerClassName={cn('flex items-center gap-2', containerClassName)} className={cn('disabled:cursor-not-allowed', className)} {...rest} />
)
export const InputOTPGroup = styled('div', 'flex items-center')
export function InputOTPSlot({index, className, ...rest}) {
  const {char, isActive} = useContext(OTPInputContext).slots[index] ?? {}
  return <div className={cn('relative flex h-9 w-9 items-center justify-center border-y border-r border-input text-sm shadow-sm first:rounded-l-md first:border-l last:rounded-r-md', isActive && 'z-10 ring-1 ring-ring', className)} {...rest}>{char}</div>
}
export const InputOTPSeparator = props => <div role="separator" {...props}><Minus /></div>
