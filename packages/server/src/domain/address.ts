/** An address as its chain spells it. Which kind of chain it is of, the kinds say. */
export type Address = string
