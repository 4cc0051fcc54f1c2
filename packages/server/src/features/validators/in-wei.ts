const WEI_PER_GWEI = 10n ** 9n

export function inWei(gwei: bigint): string {
  return (gwei * WEI_PER_GWEI).toString()
}
