/** Offsets in the state account of Marinade, as its interface lays it out after the discriminator; all u64. */
export const marinadeState = {
  delayedUnstakeCoolingDown: 226,
  totalActiveBalance: 376,
  availableReserveBalance: 496,
  msolSupply: 504,
  circulatingTicketBalance: 528,
  emergencyCoolingDown: 568,
} as const
