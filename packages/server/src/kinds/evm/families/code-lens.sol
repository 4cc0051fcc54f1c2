// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/** Says whether a contract lives at an address. It is never deployed: its runtime code travels with the call. */
contract CodeLens {
    function exists(address account) external view returns (bool) {
        return account.code.length > 0;
    }
}
