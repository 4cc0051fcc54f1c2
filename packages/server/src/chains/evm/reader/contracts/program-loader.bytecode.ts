// Compiled from program-loader.sol by `npm run contracts`; a test compares them.

export const programLoaderCode = {
  /** Creates the contract. */
  creation:
    '0x6080604052348015600f57600080fd5b50600638600519016000396000518060f01c63ffffffff8260d01c1691508181018060051982380301600039506000808383600085600080f05af1605257600080fd5b50503d6000803e3d6000f3fe',
  /** What lives at its address then. */
  runtime: '0x6080604052600080fd',
} as const
