// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/** Says what code lives at an address. It is never deployed: its runtime code travels with the call. */
contract CodeLens {
    uint256 private constant PROXY_BYTES = 45;

    function exists(address account) external view returns (bool) {
        return account.code.length > 0;
    }

    /** The implementation in the code of a minimal proxy (EIP-1167); zero for any other code. */
    function proxied(address account) external view returns (address) {
        if (account.code.length != PROXY_BYTES) return address(0);
        bytes memory code = account.code;
        bytes32 head;
        bytes32 tail;
        assembly {
            head := mload(add(code, 32))
            tail := mload(add(code, 45))
        }
        if (bytes10(head) != 0x363d3d373d3d3d363d73) return address(0);
        if (uint120(uint256(tail)) != 0x5af43d82803e903d91602b57fd5bf3) return address(0);
        return address(uint160(uint256(head) >> 16));
    }
}
