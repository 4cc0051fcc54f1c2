const chooser = new URL('../../bin/pinned-node.mjs', import.meta.url)

/** By platform. The launcher is JavaScript without types. */
export const { NODE_PACKAGES }: { NODE_PACKAGES: Readonly<Record<string, string>> } = await import(chooser.href)
