// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// A gauge of the first version: stakes are in its storage and events, and no token stands for them. It earns by the second.
contract CurveGauge {
    using SafeERC20 for IERC20;

    address public immutable lp_token;
    uint256 public immutable perSecond;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) public integrate_fraction;
    mapping(address => uint256) private updatedAt;

    event Deposit(address indexed provider, uint256 value);
    event Withdraw(address indexed provider, uint256 value);

    constructor(address staked, uint256 perSecond_) {
        lp_token = staked;
        perSecond = perSecond_;
    }

    function deposit(uint256 amount) external {
        checkpoint(msg.sender);
        balanceOf[msg.sender] += amount;
        totalSupply += amount;
        IERC20(lp_token).safeTransferFrom(msg.sender, address(this), amount);
        emit Deposit(msg.sender, amount);
    }

    function withdraw(uint256 amount) external {
        checkpoint(msg.sender);
        balanceOf[msg.sender] -= amount;
        totalSupply -= amount;
        IERC20(lp_token).safeTransfer(msg.sender, amount);
        emit Withdraw(msg.sender, amount);
    }

    /// As in Curve's gauges it may be called by anybody, and it changes the state.
    function claimable_tokens(address owner) external returns (uint256) {
        checkpoint(owner);
        return integrate_fraction[owner];
    }

    function checkpoint(address owner) private {
        uint256 share = totalSupply == 0 ? 0 : (perSecond * balanceOf[owner]) / totalSupply;
        integrate_fraction[owner] += share * (block.timestamp - updatedAt[owner]);
        updatedAt[owner] = block.timestamp;
    }
}
