// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface IMiniChef {
    function deposit(uint256 pid, uint256 amount, address to) external;
}

/// Stakes for its callers: takes the share from the wallet and puts it in under the wallet's name.
contract ChefRouter {
    function stake(IMiniChef chef, IERC20 share, uint256 pid, uint256 amount) external {
        share.transferFrom(msg.sender, address(this), amount);
        share.approve(address(chef), amount);
        chef.deposit(pid, amount, msg.sender);
    }
}
