// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// DAI, USDS, SKY or a token of locked SKY as joins and engines use them: anyone mints, and burns what an owner allowed.
contract SkyToken is ERC20 {
    constructor(string memory symbol_) ERC20(symbol_, symbol_) {}

    function mint(address account, uint256 amount) external returns (bool) {
        _mint(account, amount);
        return true;
    }

    function burn(address account, uint256 amount) external {
        if (account != msg.sender) _spendAllowance(account, msg.sender, amount);
        _burn(account, amount);
    }
}
