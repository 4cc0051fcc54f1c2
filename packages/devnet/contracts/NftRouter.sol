// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// Opens positions with a manager for its callers: takes what they offer at most, and gives back the rest.
contract NftRouter {
    function open(address manager, IERC20[2] calldata tokens, uint256[2] calldata most, bytes calldata call) external {
        for (uint256 i = 0; i < 2; i++) {
            require(tokens[i].transferFrom(msg.sender, address(this), most[i]), "not paid");
            tokens[i].approve(manager, most[i]);
        }
        (bool opened,) = manager.call(call);
        require(opened, "not opened");
        for (uint256 i = 0; i < 2; i++) {
            uint256 left = tokens[i].balanceOf(address(this));
            if (left > 0) require(tokens[i].transfer(msg.sender, left), "not given back");
        }
    }
}
