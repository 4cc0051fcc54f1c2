// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// Gives away what it has: native coins to whoever claims them, tokens to many at once who did not ask.
contract Giver {
    receive() external payable {}

    function claim(uint256 amount) external {
        (bool paid, ) = msg.sender.call{value: amount}("");
        require(paid, "refused");
    }

    function airdrop(IERC20 token, address[] calldata receivers, uint256 amount) external {
        for (uint256 i = 0; i < receivers.length; i++) token.transfer(receivers[i], amount);
    }
}
