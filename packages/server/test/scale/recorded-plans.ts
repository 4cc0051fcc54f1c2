import pg from 'pg'

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

/** `rows`: read of one table by one node of the plan. */
export type Scan = { table: string; rows: number; statement: string; node: string }

const MARK = 'plan:\n'

/** Settings that make the server send the plan of each statement, those in functions too, to its client. */
const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
}

/** Scans of statements that this process sends to the database from now on, over new connections. */
export async function recordScans(url: string) {
  const scans: Scan[] = []
  const { connect } = pg.Client.prototype
  const client = new pg.Client(url)
  await client.connect()
  for (const [name, value] of Object.entries(SETTINGS)) {
    await client.query(`alter database ${new URL(url).pathname.slice(1)} set ${name} = '${value}'`)
  }
  await client.query(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
  await client.end()
  pg.Client.prototype.connect = function (this: pg.Client, ...given: never[]) {
    this.on('notice', ({ message = '' }) => {
      const at = message.indexOf(MARK)
      if (at === -1) return
      const { 'Query Text': statement, Plan: plan } = JSON.parse(message.slice(at + MARK.length))
      scans.push(...scansOf(plan, statement))
    })
    return Reflect.apply(connect, this, given)
  }
  return {
    scans,
    stop(): void {
      pg.Client.prototype.connect = connect
    },
  }
}

function scansOf(node: Node, statement: string): Scan[] {
  const below = (node.Plans ?? []).flatMap((child) => scansOf(child, statement))
  const table = node['Relation Name']
  if (table === undefined || !node['Node Type'].endsWith('Scan')) return below
  const inLoop =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return [{ table, rows: inLoop * (node['Actual Loops'] ?? 0), statement, node: node['Node Type'] }, ...below]
}
