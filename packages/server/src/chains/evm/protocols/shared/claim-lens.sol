// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/**
 * What an owner would be paid by a call that anyone may make for it. It is never deployed: its runtime code travels with the
 * call, and what it changes is undone before the next one.
 */
contract ClaimLens {
    uint256 private constant TOKEN_GAS = 200_000;

    /// What the owner has more of each token after the call; nothing of any if the target refuses.
    function paid(address owner, address target, bytes calldata data, address[] calldata tokens)
        external
        returns (uint256[] memory amounts)
    {
        amounts = new uint256[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) amounts[i] = balanceOf(tokens[i], owner);
        bytes memory claim = data;
        bool passed;
        assembly {
            passed := call(gas(), target, 0, add(claim, 32), mload(claim), 0, 0)
        }
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 later = passed ? balanceOf(tokens[i], owner) : 0;
            amounts[i] = later > amounts[i] ? later - amounts[i] : 0;
        }
    }

    /// Zero of a token that does not answer.
    function balanceOf(address token, address owner) private view returns (uint256 amount) {
        bytes memory data = abi.encodeWithSignature("balanceOf(address)", owner);
        assembly {
            let passed := staticcall(TOKEN_GAS, token, add(data, 32), mload(data), 0, 32)
            if and(passed, gt(returndatasize(), 31)) { amount := mload(0) }
        }
    }
}
