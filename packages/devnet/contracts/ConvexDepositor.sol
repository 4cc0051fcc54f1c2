// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// cvxCRV and the contract that mints it for CRV, less what is left for whoever locks the CRV.
contract ConvexDepositor is ERC20 {
    IERC20 private immutable crv;
    uint256 public immutable lockIncentive;

    constructor(IERC20 crv_, uint256 incentive) ERC20("Convex CRV", "cvxCRV") {
        crv = crv_;
        lockIncentive = incentive;
    }

    function minted() external view returns (IERC20) {
        return this;
    }

    function deposit(uint256 amount) external {
        crv.transferFrom(msg.sender, address(this), amount);
        _mint(msg.sender, amount - (amount * lockIncentive) / 10_000);
    }
}
