// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface RewardPool {
    function credit(address account, uint256 amount) external;
    function pid() external view returns (uint256);
    function stakingToken() external view returns (IERC20);
}

/**
 * Convex' booster, which keeps the shares itself instead of in a gauge, and CVX in one: a claim of CRV mints as much CVX as
 * the cliffs of `Cvx.sol` leave.
 */
contract ConvexBooster is ERC20 {
    using SafeERC20 for IERC20;

    struct PoolInfo {
        address lptoken;
        address token;
        address gauge;
        address crvRewards;
        address stash;
        bool shutdown;
    }

    uint256 private constant MAX = 1e26;
    uint256 private constant PER_CLIFF = 1e23;

    PoolInfo[] public poolInfo;
    /// The pool of staked cvxCRV, beside the list.
    address public lockRewards;

    event Deposited(address indexed user, uint256 indexed poolid, uint256 amount);

    constructor(uint256 premint) ERC20("Convex Token", "CVX") {
        _mint(address(0xdead), premint);
    }

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    /// Its number in the list must be its `pid`.
    function addPool(RewardPool pool) external {
        require(pool.pid() == poolInfo.length);
        poolInfo.push(
            PoolInfo(address(pool.stakingToken()), address(0), address(0), address(pool), address(0), false)
        );
    }

    function setLockRewards(address pool) external {
        lockRewards = pool;
    }

    function shutdownPool(uint256 pid) external {
        poolInfo[pid].shutdown = true;
    }

    function deposit(uint256 pid, uint256 amount, bool) external {
        PoolInfo memory pool = poolInfo[pid];
        require(!pool.shutdown, "pool is closed");
        IERC20(pool.lptoken).safeTransferFrom(msg.sender, address(this), amount);
        RewardPool(pool.crvRewards).credit(msg.sender, amount);
        emit Deposited(msg.sender, pid, amount);
    }

    function withdrawTo(uint256 pid, uint256 amount, address to) external {
        require(msg.sender == poolInfo[pid].crvRewards, "!auth");
        IERC20(poolInfo[pid].lptoken).safeTransfer(to, amount);
    }

    function rewardClaimed(uint256 pid, address account, uint256 amount) external returns (bool) {
        require(msg.sender == poolInfo[pid].crvRewards || msg.sender == lockRewards, "!auth");
        uint256 cliff = totalSupply() / PER_CLIFF;
        if (cliff >= 1000) return true;
        uint256 due = (amount * (1000 - cliff)) / 1000;
        uint256 left = MAX - totalSupply();
        _mint(account, due > left ? left : due);
        return true;
    }
}
