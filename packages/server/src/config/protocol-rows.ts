import type { z } from 'zod'
import type { ProtocolRow } from '../chains/protocol-row.ts'
import { suggestion } from './config-error.ts'
import { fileError, pathText } from './config-file.ts'

export function checkProtocolRows(
  rows: readonly ProtocolRow[],
  protocolAdapters: ReadonlyMap<string, { readonly deployment: z.ZodType }>,
): void {
  for (const [index, row] of rows.entries()) {
    const family = protocolAdapters.get(row.family)
    if (!family) {
      const problem = `there is no family ${JSON.stringify(row.family)}${suggestion(row.family, protocolAdapters.keys())}`
      throw fileError(`protocols[${index}].family`, problem)
    }
    const [issue] = family.deployment.safeParse(row.deployment).error?.issues ?? []
    if (issue) throw fileError(pathText(['protocols', index, 'deployment', ...issue.path]), issue.message)
  }
}
