/** The message never holds a value that may be secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`)
  }
}
