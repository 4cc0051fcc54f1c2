/** An amount of tokens as nodes write it. `uiAmount` is the one figure that they give as a double. */
export type UiTokenAmount = { amount: string; decimals: number; uiAmount: number | null; uiAmountString: string }

/** Digits with the point put in, without zeros at the end. */
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
