// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token over another, one for one, as EIGEN is over bEIGEN.
contract WrappedBacking is ERC20 {
    ERC20 public immutable backing;

    constructor(ERC20 token) ERC20("Eigen", "EIGEN") {
        backing = token;
    }

    function wrap(uint256 amount) external {
        require(backing.transferFrom(msg.sender, address(this), amount));
        _mint(msg.sender, amount);
    }

    function unwrap(uint256 amount) external {
        _burn(msg.sender, amount);
        require(backing.transfer(msg.sender, amount));
    }
}
