// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// Trades the native coin for a token at the rate that was set last, in base units of the token for 10^18 of the coin.
contract FixedRateExchange {
    IERC20 public immutable token;
    uint256 public rate;

    constructor(IERC20 token_) {
        token = token_;
    }

    receive() external payable {}

    function setRate(uint256 rate_) external {
        rate = rate_;
    }

    function buyCoins(uint256 amount) external {
        require(token.transferFrom(msg.sender, address(this), amount), "not paid");
        (bool paid, ) = msg.sender.call{value: (amount * 1 ether) / rate}("");
        require(paid, "refused");
    }

    function sellCoins() external payable {
        require(token.transfer(msg.sender, (msg.value * rate) / 1 ether), "not paid");
    }
}
