declare module '*.json?en' {
  export const messages: Record<string, string>
}

declare module '*.json?de' {
  export const messages: Record<string, string>
}
