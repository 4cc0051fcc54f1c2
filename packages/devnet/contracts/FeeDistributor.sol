// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Curve's FeeDistributor as far as claims go: anybody may claim for an owner, who is paid what was set down for them.
contract FeeDistributor {
    using SafeERC20 for IERC20;

    IERC20 public immutable token;
    mapping(address => uint256) private due;

    event Claimed(address indexed recipient, uint256 amount, uint256 claim_epoch, uint256 max_epoch);

    constructor(IERC20 paid) {
        token = paid;
    }

    function credit(address owner, uint256 amount) external {
        due[owner] += amount;
    }

    function claim(address owner) external returns (uint256 amount) {
        amount = due[owner];
        due[owner] = 0;
        if (amount > 0) token.safeTransfer(owner, amount);
        emit Claimed(owner, amount, 1, 1);
    }
}
