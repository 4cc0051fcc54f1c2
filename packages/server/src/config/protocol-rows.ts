import type { z } from 'zod'
import type { ProtocolRow } from '../kinds/protocol-row.ts'
import { fileError, pathText } from './config-file.ts'
import { suggestion } from './nearest.ts'

/** What a check of rows needs to know of a family. */
type DeploymentShape = { readonly deployment: z.ZodType }

/**
 * Refuses a row of the file whose family does not exist or whose deployment is not what the family asks for, with the
 * path inside the file. `rows` are in the file's order.
 */
export function checkProtocolRows(rows: readonly ProtocolRow[], families: ReadonlyMap<string, DeploymentShape>): void {
  for (const [index, row] of rows.entries()) {
    const family = families.get(row.family)
    if (!family) {
      const problem = `there is no family ${JSON.stringify(row.family)}${suggestion(row.family, families.keys())}`
      throw fileError(`protocols[${index}].family`, problem)
    }
    const [issue] = family.deployment.safeParse(row.deployment).error?.issues ?? []
    if (issue) throw fileError(pathText(['protocols', index, 'deployment', ...issue.path]), issue.message)
  }
}
