/** Node format. Only `uiAmount` is a double. */
export type UiTokenAmount = { amount: string; decimals: number; uiAmount: number | null; uiAmountString: string }

const decimalString = (amount: bigint, decimals: number): string => {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

export const uiTokenAmount = (amount: bigint, decimals: number): UiTokenAmount => {
  const uiAmountString = decimalString(amount, decimals)
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString }
}
